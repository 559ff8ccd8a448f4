# retree as locked: docker build --tag retree . && docker run retree quickstart
FROM python:3.11.13-slim-bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends g++ git make \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /retree
COPY . .
# Only what requirements.lock names is installed; the engine is compiled here.
RUN rm -rf .venv build && make setup
ENV PATH=/retree/.venv/bin:$PATH RETREE_OFFLINE=1
ENTRYPOINT ["retree"]
CMD ["--help"]
