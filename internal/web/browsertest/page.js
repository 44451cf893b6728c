// The actions of a visitor, as functions that the test calls one at a time. They must be synchronous, because
// asynchronous code does not run on a page with scripts disabled.
(() => {
  const tidy = text => (text || '').replace(/\s+/g, ' ').trim()

  const visible = e => e.getClientRects().length > 0 && e.checkVisibility({visibilityProperty: true})

  // labelText returns the text of a label without the text of a field inside it.
  const labelText = label => {
    const clone = label.cloneNode(true)
    clone.querySelectorAll('select, textarea, script, style').forEach(e => e.remove())
    return clone.textContent
  }

  const ariaNames = e => [
    e.getAttribute('aria-label'),
    ...(e.getAttribute('aria-labelledby') || '').split(' ').map(id => id && document.getElementById(id)?.textContent),
  ]

  const textNames = e => [e.innerText, e.matches('input') ? e.value : '', ...[...e.querySelectorAll('img[alt]')].map(i => i.alt)]

  const kinds = {
    // Elements that can be pressed. A field can also be pressed through its label.
    press: {
      all: 'a[href], button, summary, label, input, [role=button], [role=link], [role=tab], [role=menuitem], [role=option]',
      names: e => [...ariaNames(e), ...textNames(e)],
      usable: visible,
    },
    field: {
      all: 'input:not([type=hidden], [type=submit], [type=button], [type=image]), select, textarea, [contenteditable]',
      names: e => [...ariaNames(e), ...[...(e.labels || [])].map(labelText)],
      usable: e => visible(e) || e.type == 'file', // a file field is often hidden behind its label
    },
  }

  const find = (kind, what) => {
    const {all, names, usable} = kinds[kind]
    const css = what.startsWith('css:')
    let found = [...document.querySelectorAll(css ? what.slice(4) : all)]
    const total = found.length
    if (!css) {
      const tidyNames = e => names(e).map(tidy)
      const exact = found.filter(e => tidyNames(e).includes(tidy(what)) && usable(e))
      found = exact.length ? exact : found.filter(e => tidyNames(e).some(name => name.includes(tidy(what))))
    }
    const hidden = found.length
    found = found.filter(usable)
    found = found.filter(e => !found.some(inner => inner !== e && e.contains(inner)))
    if (found.length === 1) return found[0]
    if (found.length > 1) throw new Error(`${found.length} elements are named ${JSON.stringify(what)}: ${found.slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join(', ')}`)
    throw new Error(`no ${kind == 'press' ? 'link or button' : 'field'} is named ${JSON.stringify(what)} among ${total}` + (hidden ? `; ${hidden} hidden` : ''))
  }

  const isPart = (e, part) => e.contains(part) || part.closest?.('label')?.control === e

  // watch observes the next press, which is meant for an element. A script may move or replace the element after it was
  // measured. A press that begins elsewhere has no effect, so that it can be repeated. One that begins on the element and
  // ends elsewhere fails: a person would fail too.
  const watch = (what, e) => {
    const known = window.visitorPress
    window.visitorPress = {what, e, began: '', result: ''}
    if (known) return
    const isMeant = (press, part) => {
      if (isPart(press.e, part)) return true
      try {
        return isPart(find('press', press.what), part) // it was replaced
      } catch {
        return false
      }
    }
    addEventListener('pointerdown', event => {
      const press = window.visitorPress
      if (!event.isTrusted || press.result || press.began) return
      press.began = isMeant(press, event.target) ? 'on it' : 'elsewhere'
      press.on = event.target.outerHTML?.slice(0, 120)
      if (press.began === 'elsewhere') event.preventDefault()
    }, {capture: true})
    addEventListener('click', event => {
      const press = window.visitorPress
      if (!event.isTrusted || press.result) return
      if (press.began === 'on it') {
        press.result = isMeant(press, event.target) ? 'reached' : 'lost'
        press.on = event.target.outerHTML?.slice(0, 120)
        return
      }
      event.preventDefault()
      event.stopImmediatePropagation()
      if (press.began) press.result = 'missed' // else it belongs to an earlier press
    }, {capture: true})
  }

  // pressed returns what became of the press: '' if nothing yet, 'reached', 'missed', or 'lost'.
  const pressed = () => {
    const {result, began, on} = window.visitorPress || {result: 'reached'} // another page was opened
    return {result, began, on}
  }

  // ignorePress ends watching.
  const ignorePress = () => {
    if (window.visitorPress) window.visitorPress.result ||= 'ignored'
  }

  // point scrolls an element into view and returns the position to press. A covered element cannot be pressed.
  const point = what => {
    const e = find('press', what)
    if (e.matches(':disabled')) throw new Error(`${JSON.stringify(what)} is disabled`)
    e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'})
    const box = e.getClientRects()[0]
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
    const top = document.elementFromPoint(x, y)
    if (!top || !isPart(e, top)) {
      throw new Error(`${JSON.stringify(what)} is covered by ${top ? top.outerHTML.slice(0, 120) : 'the edge of the window'}`)
    }
    watch(what, e)
    return {x, y}
  }

  const dispatchChange = e => {
    e.dispatchEvent(new Event('input', {bubbles: true}))
    e.dispatchEvent(new Event('change', {bubbles: true}))
  }

  // enter prepares a field for typing and returns true. If the value is a date, a colour or empty, it sets the value
  // itself and returns false.
  const enter = (what, value) => {
    const e = find('field', what)
    if (e.matches(':disabled, [readonly]')) throw new Error(`${JSON.stringify(what)} cannot be changed`)
    e.scrollIntoView({block: 'center', behavior: 'instant'})
    e.focus()
    if (document.activeElement !== e) throw new Error(`${JSON.stringify(what)} cannot be focused; ${document.activeElement.outerHTML.slice(0, 120)} has the focus`)
    if (value !== '' && !['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'].includes(e.type)) {
      e.select ? e.select() : getSelection().selectAllChildren(e)
      return true
    }
    e.value = value
    if (e.value !== value) throw new Error(`${JSON.stringify(what)} does not accept ${JSON.stringify(value)}`)
    dispatchChange(e)
    return false
  }

  const choose = (what, text) => {
    const e = find('field', what)
    const option = [...(e.options || [])].find(o => !o.disabled && tidy(o.label) === tidy(text))
    if (!option) throw new Error(`${JSON.stringify(what)} has no option ${JSON.stringify(text)}: ${[...(e.options || [])].map(o => tidy(o.label)).join(', ')}`)
    e.focus()
    option.selected = true
    dispatchChange(e)
  }

  // overflow says by how much the page is wider than the screen, and names the innermost elements that are.
  const overflow = () => {
    const wide = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - screen.width
    if (wide <= 0) return ''
    const rtl = getComputedStyle(document.documentElement).direction === 'rtl'
    const leaves = e => {
      const r = e.getBoundingClientRect()
      if (r.width === 0 || !e.checkVisibility()) return false
      for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
        if (getComputedStyle(p).overflowX !== 'visible') return false
      if (rtl ? r.left + scrollX < -1 : r.right + scrollX > screen.width + 1) return true
      return e.clientWidth > 0 && e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX === 'visible'
    }
    // Bars that are fixed to the window grow with the page.
    const names = [...document.querySelectorAll('main, main :not(svg, svg *)')].filter(e => leaves(e) && ![...e.children].some(leaves))
      .slice(0, 5).map(e => `<${e.localName} class="${e.className}" id="${e.id}"> in <${e.parentElement.localName} ` +
        `class="${e.parentElement.className}">`)
    return `${wide} pixels wider than the screen: ${names.join(', ')}`
  }

  // textFaults returns the texts that do not fit: those that leave their box, are cut off, or make a button higher than
  // two lines, and the width by which the page is wider than its window.
  const textFaults = () => {
    const faults = new Set()
    const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth // a phone's innerWidth grows
    if (wide > 0) faults.add(`the page is ${wide} pixels wider than its window`)
    const tolerance = 1.5
    const describe = (problem, text, e) =>
      faults.add(`${problem}: ${JSON.stringify(tidy(text).slice(0, 80))} in <${e.localName} class="${e.className}">`)
    const leaves = (r, box) => r.left < box.left - tolerance || r.right > box.right + tolerance

    const check = (node, rects) => {
      let inBox = false
      for (let e = node.parentElement; e && e !== document.body; e = e.parentElement) {
        const style = getComputedStyle(e)
        const box = e.getBoundingClientRect()
        if (['inline', 'contents'].includes(style.display)) continue
        const clips = ['hidden', 'clip'].includes(style.overflowX)
        const cutBelow = clips && rects.some(r => r.bottom > box.bottom + 4 || r.top < box.top - 4)
        if ((clips || !inBox) && rects.some(r => leaves(r, box)) || cutBelow) {
          describe(clips ? 'cut off' : 'leaves its box', node.data, e)
          return
        }
        if (['auto', 'scroll'].includes(style.overflowX) || style.position === 'fixed') return
        inBox ||= !style.display.startsWith('inline') // a badge must fit into the box around it too
      }
    }

    const hidden = e => {
      for (; e; e = e.parentElement) {
        const style = getComputedStyle(e)
        const box = e.getBoundingClientRect()
        if (style.display === 'contents') continue
        if (box.width <= 2 && box.height <= 2 || style.clipPath !== 'none' || style.clip !== 'auto') return true
        if (style.webkitLineClamp !== 'none') return true // is shortened on purpose
      }
      return false
    }

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const e = node.parentElement
      if (!tidy(node.data) || e.closest('script, style, template, svg, option') || !visible(e) || hidden(e)) continue
      range.selectNodeContents(node)
      check(node, [...range.getClientRects()].filter(r => r.width > 0))
    }
    for (const e of document.querySelectorAll('button, a.button, summary, nav a, th')) {
      const composed = [...e.querySelectorAll('*')].some(part => ['block', 'grid', 'flex'].includes(getComputedStyle(part).display))
      if (!visible(e) || hidden(e) || composed) continue
      range.selectNodeContents(e)
      const rects = [...range.getClientRects()].filter(r => r.width > 0 && r.height > 4)
      if (!rects.length) continue
      const height = Math.max(...rects.map(r => r.bottom)) - Math.min(...rects.map(r => r.top))
      if (height > 2.6 * parseFloat(getComputedStyle(e).lineHeight)) describe('more than two lines', e.innerText, e)
    }
    const pen = document.createElement('canvas').getContext('2d')
    for (const e of document.querySelectorAll('select, input[placeholder]')) {
      const text = e.options ? e.selectedOptions[0]?.label : e.placeholder
      if (!text || !visible(e) || hidden(e)) continue
      const style = getComputedStyle(e)
      pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
      const room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)
      if (pen.measureText(text).width > room + tolerance) describe('cut off', text, e)
    }
    return [...faults]
  }

  return {find, point, pressed, ignorePress, enter, choose, overflow, textFaults}
})()
