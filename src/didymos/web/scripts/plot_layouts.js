// Named layouts of the plots: kept by whoever holds them, offered where all their signals are there.
//
//   layouts.list()             -> [{name, twin, layout}, ...], those of this twin first
//   layouts.save(name, layout), layouts.remove(name, twin), layouts.onchange(f)
import { button } from "./plot_legend.js";

export class LayoutMenu {
  constructor(panel, layouts, parent) {
    Object.assign(this, { panel, layouts });
    this.element = document.createElement("details");
    this.element.className = "layouts";
    this.element.innerHTML = "<summary title='Layouts: what is plotted, under a name'>Layouts</summary><div></div>";
    this.list = this.element.lastElementChild;
    parent.append(this.element);
    this.element.addEventListener("toggle", () => this.element.open && this.build());
    layouts.onchange(() => this.element.open && this.build());
    document.addEventListener("pointerdown", (event) => { if (!this.element.contains(event.target)) this.element.open = false; });
  }

  fits({ layout }) {
    const names = (layout.plots || []).flatMap(({ signals = [], x }) => (x ? [...signals, x] : signals));
    return names.length > 0 && names.every((name) => this.panel.has(name));
  }

  build() {
    const { panel, layouts } = this, rows = [];
    rows.push(this.row("As it begins", () => panel.reset()));
    for (const one of layouts.list().filter((item) => this.fits(item))) {
      const row = this.row(one.own ? one.name : `${one.name} (${one.twin})`, () => { panel.apply(one.layout); panel.edited(); });
      if (one.own) row.append(button("×", `Forget the layout ${one.name}`, () => layouts.remove(one.name)));
      rows.push(row);
    }
    const form = document.createElement("form");
    form.innerHTML = "<input placeholder='Save as …' maxlength='60' aria-label='Name of the layout'><button>Save</button>";
    form.firstElementChild.addEventListener("keydown", (event) => event.stopPropagation());
    form.onsubmit = (event) => {
      event.preventDefault();
      const name = form.firstElementChild.value.trim();
      if (name) layouts.save(name, panel.layout());
      this.element.open = false;
    };
    this.list.replaceChildren(...rows, form);
  }

  row(text, onclick) {
    const made = document.createElement("div");
    made.append(Object.assign(button(text, text, () => { onclick(); this.element.open = false; }), { className: "name" }));
    return made;
  }
}
