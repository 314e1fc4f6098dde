# Didymos with pictures, without a display:  docker build -t didymos .  then  docker run --rm -v "$PWD:/work" didymos run quadcopter
FROM python:3.11-slim
RUN apt-get update -qq && apt-get install -qq --no-install-recommends -y libegl1 libgl1-mesa-dri libopengl0 && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml constraints.txt README.md LICENSE /didymos/
COPY src /didymos/src
RUN pip install --no-cache-dir --constraint /didymos/constraints.txt /didymos && rm -rf /didymos
WORKDIR /work
ENTRYPOINT ["didymos"]
