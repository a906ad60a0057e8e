# The board on a CPU: `docker compose up`, then http://localhost:7860.
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3-venv && rm -rf /var/lib/apt/lists/*
RUN python3 -m venv /venv && /venv/bin/pip install --no-cache-dir torch --index-url https://download.pytorch.org/whl/cpu
WORKDIR /app
COPY requirements.txt .
RUN /venv/bin/pip install --no-cache-dir -r requirements.txt
COPY app.py pyproject.toml ./
COPY assets assets
COPY leaderboard leaderboard
COPY qbench qbench
RUN useradd --create-home board && install -d -o board /data
USER board
ENV GRADIO_SERVER_NAME=0.0.0.0 \
    QBENCH_DATA=/data/datasets \
    QBENCH_RESULTS=/data/results \
    QBENCH_RUNS=/data/runs \
    QBENCH_SUBMISSIONS=/data/submissions
VOLUME /data
EXPOSE 7860
HEALTHCHECK --start-period=60s CMD ["/venv/bin/python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:7860/healthz')"]
CMD ["/venv/bin/python", "app.py"]
