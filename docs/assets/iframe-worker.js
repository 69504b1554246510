// Search runs in a worker, which browsers refuse to pages that are opened from a folder. There a hidden frame does its
// work: it runs the worker's script, and messages go back and forth between it and the page.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      const script = this.inside.document.createElement("script");
      script.src = String(url);
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.loaded = new Promise((resolve) => script.addEventListener("load", resolve));
      this.inside.document.body.append(script);
    }

    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
