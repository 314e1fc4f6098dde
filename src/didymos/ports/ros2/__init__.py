"""ROS 2 on the wire without a ROS installation: DDS with ROS 2's names, types, qualities of service and discovery."""
