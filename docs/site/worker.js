// Pages opened from a folder may not start a worker; there the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", {data}))
      inside.importScripts = (...addresses) => Promise.all(addresses.map(one => this.load(one)))
      this.inside = inside
      this.ready = this.load(url)
    }
    load(address) {
      return new Promise((done, failed) => {
        const script = this.inside.document.createElement("script")
        script.src = address
        script.onload = done
        script.onerror = failed
        this.inside.document.body.appendChild(script)
      })
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", {data})))
    }
    terminate() { this.inside.frameElement.remove() }
  }
}
