// Paths of icons, 24 x 24, stroked.
export const SUN = "M12 8a4 4 0 1 0 0 8a4 4 0 0 0 0-8M12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400";
export const MOON = "M20 14.500A8.500 8.500 0 1 1 9.500 4a7 7 0 0 0 10.500 10.500z";
export const HOME = "M4 11l8-7 8 7M6 9.500V20h12V9.500M10 20v-6h4v6";
export const LINK = "M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1.500 1.500M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1.500-1.500";
export const REPORT = "M7 3h7l4 4v14H7zM14 3v4h4M10 12h5M10 16h5";
export const KINDS = {
  twin: "M12 3l8 4.500v9L12 21l-8-4.500v-9zM12 12l8-4.500M12 12v9M12 12L4 7.500",
  world: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18M3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18",
  description: "M7 3h7l4 4v14H7zM14 3v4h4M10.500 11l-2 2.500 2 2.500M14.500 11l2 2.500-2 2.500",
  log: "M4 4v16h16M7 15l4-5 3 3 5-7",
};

// Let a button show whether a click makes the page dark or light.
export function showTheme(button) {
  const dark = document.documentElement.dataset.didymosTheme === "dark";
  button.title = dark ? "Light" : "Dark";
  button.setAttribute("aria-label", button.title);
  button.querySelector("path").setAttribute("d", dark ? SUN : MOON);
}
