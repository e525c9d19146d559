// A list of which only the visible rows exist, so that 100,000 of them scroll like ten.

/** `make` makes an element for a row, and `fill` shows the row with an index in it. */
export function rowList(scroller, body, { height, make, fill }) {
  const pool = [];
  let count = 0, wanted = 0, version = 0, isAsked = false, top = 0;
  const remaining = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;

  // A row that changes or moves while it is pressed gets no click.
  const isPressed = () => body.matches(":active");

  function resize() {
    if (wanted === count) return;
    count = wanted;
    body.style.height = `${count * height}px`;
    if (list.isAtEnd) list.toEnd();
  }

  function render() {
    isAsked = false;
    if (isPressed()) return ask();
    resize();
    while (pool.length < Math.ceil(scroller.clientHeight / height) + 8) {
      const element = make(pool.length);
      body.append(element);
      pool.push({ element, index: -1, version: -1 });
    }
    const first = Math.max(0, Math.floor(scroller.scrollTop / height) - 4);
    for (let index = first; index < first + pool.length; index += 1) {
      const slot = pool[index % pool.length];
      slot.element.hidden = index >= count;
      if (slot.element.hidden) slot.index = -1;
      else if (slot.index !== index || slot.version !== version) {
        if (slot.index !== index) slot.element.style.transform = `translateY(${index * height}px)`;
        fill(slot.element, index);
        Object.assign(slot, { index, version });
      }
    }
  }

  function ask() {
    if (!isAsked) requestAnimationFrame(render);
    isAsked = true;
  }

  const list = {
    /** Whether the end is visible; the list then follows it. */
    isAtEnd: true,
    get pageSize() { return Math.max(1, Math.floor(scroller.clientHeight / height) - 2); },

    /** Shows this many rows, any of which may have changed. */
    update(rows) {
      version += 1;
      wanted = rows;
      if (!isPressed()) resize();
      ask();
    },

    toEnd() {
      list.isAtEnd = true;
      scroller.scrollTop = scroller.scrollHeight;
    },

    /** Tells the list that this many rows before the visible ones are gone. */
    shift(rows) {
      if (!list.isAtEnd) scroller.scrollTop = Math.max(0, scroller.scrollTop - rows * height);
    },

    reveal(index, { centre = false } = {}) {
      const at = index * height, view = scroller.clientHeight - body.offsetTop;
      if (centre) scroller.scrollTop = Math.max(0, at - view / 2);
      else scroller.scrollTop = Math.min(at, Math.max(scroller.scrollTop, at + height - view));
      list.isAtEnd = remaining() < height / 2;
      render();
    },
  };
  scroller.addEventListener("scroll", () => {
    // Only scrolling up leaves the end; growing content and a smaller window do not.
    list.isAtEnd = remaining() < height / 2 || (list.isAtEnd && scroller.scrollTop >= top);
    top = scroller.scrollTop;
    ask();
  }, { passive: true });
  new ResizeObserver(() => {
    if (list.isAtEnd) list.toEnd();
    ask();
  }).observe(scroller);
  return list;
}
