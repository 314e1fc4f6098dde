"""The port foxglove: a running twin in Foxglove or Lichtblick, live, over a websocket."""
