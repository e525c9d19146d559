// A list of which only the visible rows exist, so that 100,000 of them scroll like ten.

export class RowList {
  #scroller;
  #body;
  #height;
  #make;
  #fill;
  #pool = [];
  #count = 0;
  #version = 0;
  #isAsked = false;
  #top = 0;
  /** Whether the end is in view, and so is followed. */
  isAtEnd = true;

  constructor(scroller, body, { height, make, fill }) {
    this.#scroller = scroller;
    this.#body = body;
    this.#height = height;
    this.#make = make;
    this.#fill = fill;
    scroller.addEventListener("scroll", () => {
      // Only a move upwards leaves the end: growing content and a smaller window do not.
      const top = scroller.scrollTop;
      this.isAtEnd = this.#remaining() < height / 2 || (this.isAtEnd && top >= this.#top);
      this.#top = top;
      this.#ask();
    }, { passive: true });
    new ResizeObserver(() => {
      if (this.isAtEnd) this.toEnd();
      this.#ask();
    }).observe(scroller);
  }

  #remaining() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  /** Shows so many rows, of which any may have changed. */
  update(count) {
    this.#version += 1;
    if (count !== this.#count) {
      this.#count = count;
      this.#body.style.height = `${count * this.#height}px`;
      if (this.isAtEnd) this.toEnd();
    }
    this.#ask();
  }

  toEnd() {
    this.isAtEnd = true;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** Rows before the visible ones went away. */
  shift(rows) {
    if (!this.isAtEnd) this.#scroller.scrollTop = Math.max(0, this.#scroller.scrollTop - rows * this.#height);
  }

  reveal(index, { centre = false } = {}) {
    const head = this.#body.offsetTop, top = index * this.#height, view = this.#scroller.clientHeight - head;
    if (centre) this.#scroller.scrollTop = Math.max(0, top - view / 2);
    else if (top < this.#scroller.scrollTop) this.#scroller.scrollTop = top;
    else if (top + this.#height > this.#scroller.scrollTop + view) this.#scroller.scrollTop = top + this.#height - view;
    this.isAtEnd = this.#remaining() < this.#height / 2;
    this.#render();
  }

  get pageSize() { return Math.max(1, Math.floor(this.#scroller.clientHeight / this.#height) - 2); }

  #ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      this.#render();
    });
  }

  #render() {
    const size = Math.ceil(this.#scroller.clientHeight / this.#height) + 8;
    while (this.#pool.length < size) {
      const element = this.#make(this.#pool.length);
      element.hidden = true;
      this.#body.append(element);
      this.#pool.push({ element, index: -1, version: -1 });
    }
    const first = Math.max(0, Math.floor(this.#scroller.scrollTop / this.#height) - 4);
    const wanted = this.#pool.length;
    for (let index = first; index < first + wanted; index += 1) {
      const slot = this.#pool[index % wanted];
      if (index >= this.#count) {
        slot.element.hidden = true;
        slot.index = -1;
      } else if (slot.index !== index || slot.version !== this.#version) {
        if (slot.index !== index) slot.element.style.transform = `translateY(${index * this.#height}px)`;
        this.#fill(slot.element, index);
        slot.element.hidden = false;
        slot.index = index;
        slot.version = this.#version;
      }
    }
  }
}
