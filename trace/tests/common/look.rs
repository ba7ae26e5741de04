//! What scripts ask of a page: whether its text can be read, and whether all has a name.

/// The least contrast of text and its ground, with the text that has it; disabled and hidden text does not count.
pub const LEAST_CONTRAST: &str = r#"(() => {
    const parse = (text) => text.match(/[\d.]+/g).map(Number);
    const light = ([red, green, blue]) => {
        const part = (value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
    };
    const ground = (element) => {
        for (; element; element = element.parentElement) {
            const colour = parse(getComputedStyle(element).backgroundColor);
            if (colour.length < 4 || colour[3] === 1) return colour;
        }
        return [255, 255, 255];
    };
    let least = [99, "no text"];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const element = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, noscript")) continue;
        const [one, other] = [light(parse(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
        const contrast = (one + 0.05) / (other + 0.05);
        if (contrast < least[0]) least = [contrast, texts.currentNode.data.trim()];
    }
    return least;
})()"#;

/// What can be used or seen and has no name for those who don't see it.
pub const NAMELESS: &str = r#"[...document.querySelectorAll("a, button, input, select, textarea, canvas, svg, [role=img], [role=region]")].filter((element) =>
    !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.[0]?.textContent.trim())
).map((element) => element.outerHTML.slice(0, 120))"#;
