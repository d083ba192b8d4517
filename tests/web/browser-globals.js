/** Names that the browser (and, in tests, node) gives. */
const names = `document location history localStorage sessionStorage WebSocket fetch URL Blob HTMLElement SVGElement Node CustomEvent DOMParser
customElements addEventListener scrollTo requestAnimationFrame performance setTimeout clearTimeout globalThis HTMLInputElement
HTMLSelectElement HTMLButtonElement HTMLTemplateElement Element matchMedia process console Buffer`;
export default Object.fromEntries(names.split(/\s+/).map((name) => [name, "readonly"]));
