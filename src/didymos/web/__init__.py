"""What pages are made of: the scripts that the cockpit and exported pages share, without a build step."""
