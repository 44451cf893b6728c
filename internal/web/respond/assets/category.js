// Suggests the category of an item while its description is typed. It never replaces what a person has chosen.
(() => {
  'use strict'
  const pause = 300
  const maxText = 300
  const fields = ['description', 'brand', 'model']
  const states = new WeakMap()

  // A category that is already set was chosen by somebody.
  function stateOf(select) {
    if (!states.has(select)) states.set(select, {chosen: select.value !== '', set: ''})
    return states.get(select)
  }

  const selectIn = form => { const s = form?.elements.category; return s?.tagName === 'SELECT' && form.elements.description ? s : null }

  document.addEventListener('input', event => {
    const select = fields.includes(event.target.name) && selectIn(event.target.form)
    if (!select) return
    const state = stateOf(select)
    clearTimeout(state.timer)
    if (!state.chosen) state.timer = setTimeout(() => ask(select, state), pause)
  })

  document.addEventListener('change', event => {
    if (event.target.name !== 'category' || !selectIn(event.target.form)) return
    const state = stateOf(event.target)
    state.chosen = true
    state.chip?.remove()
  })

  async function ask(select, state) {
    state.asked?.abort()
    state.asked = new AbortController()
    const body = new URLSearchParams()
    for (const name of fields) body.set(name, (select.form.elements[name]?.value || '').slice(0, maxText))
    try {
      const answer = await fetch('/category', {method: 'POST', body, headers: {Accept: 'application/json'}, signal: state.asked.signal})
      if (answer.ok) show(select, state, await answer.json())
    } catch { /* without a connection, nothing is suggested */ }
  }

  function show(select, state, found) {
    if (state.chosen || select.value !== state.set || found.category === state.set) return
    select.value = state.set = found.category
    select.dispatchEvent(new Event('suggested'))
    if (!state.chip) begin(select, state)
    state.chip.hidden = !found.category
    state.icon.setAttribute('d', found.icon)
    state.text.textContent = found.text
    state.status.textContent = found.status
  }

  // The chip is beside the label of the list, so that nothing moves.
  function begin(select, state) {
    const ns = 'http://www.w3.org/2000/svg'
    const drawing = document.createElementNS(ns, 'svg')
    for (const [name, value] of [['class', 'icon thin'], ['viewBox', '0 0 24 24'], ['aria-hidden', 'true']]) drawing.setAttribute(name, value)
    state.icon = drawing.appendChild(document.createElementNS(ns, 'path'))
    state.chip = document.createElement('button')
    state.chip.type = 'button'
    state.chip.className = 'suggested'
    state.text = document.createElement('span')
    state.chip.append(drawing, state.text)
    state.chip.addEventListener('click', () => { select.focus(); try { select.showPicker?.() } catch { /* it has the focus */ } })
    state.status = document.createElement('span')
    state.status.className = 'unseen'
    state.status.setAttribute('role', 'status')
    select.before(state.chip, state.status)
  }
})()
