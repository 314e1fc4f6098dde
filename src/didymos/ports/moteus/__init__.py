"""A twin's drives as moteus controllers behind an fdcanusb: registers, diagnostic console, line protocol, pseudo-terminal."""
