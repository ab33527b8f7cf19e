# Dovetail for `serve` and `mcp`; docs/docker.md has the commands. The first stage builds the wheel, with its page.
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
RUN python -m pip install --no-cache-dir "build>=1.2" \
 && python -m build --wheel --outdir /packages

FROM python:3.13-slim
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /packages /packages
RUN python -m pip install --no-cache-dir "$(echo /packages/*.whl)[mcp,web]" \
 && rm -r /packages
# A volume on /state keeps the key of your journals between containers.
ENV XDG_STATE_HOME=/state
USER 1000:1000
WORKDIR /work
EXPOSE 8080
ENTRYPOINT ["dovetail"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8080", "--no-browser"]
