"""Where Anachron is run: terminals that close, notebooks, disks that may only be read."""
