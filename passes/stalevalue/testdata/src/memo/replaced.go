package memo

import "sync"

type leaf struct {
	text string
	hits int
}

// A Herbarium forgets what has changed outside.
type Herbarium struct {
	press func(name string) (string, error)

	mu     sync.Mutex
	leaves map[string]*leaf
}

func (h *Herbarium) find(name string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.leaves[name]
	if !ok {
		return "", false
	}
	return l.text, true
}

// put does the same whether there is a leaf or not.
func (h *Herbarium) put(name, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l, ok := h.leaves[name]; ok {
		l.text = text
		return
	}
	h.leaves[name] = &leaf{text: text}
}

func (h *Herbarium) Forget(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.leaves, name)
}

func (h *Herbarium) Leaf(name string) (string, error) {
	if text, ok := h.find(name); ok {
		return text, nil
	}
	text, err := h.press(name)
	if err != nil {
		return "", err
	}
	h.put(name, text) // want `check-then-act: h.leaves\[name\] was checked at line \d+`
	return text, nil
}

// add keeps the leaf that is there.
func (h *Herbarium) add(name, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l, ok := h.leaves[name]; ok {
		l.hits++
		return
	}
	h.leaves[name] = &leaf{text: text}
}

func (h *Herbarium) Keep(name string) (string, error) {
	if text, ok := h.find(name); ok {
		return text, nil
	}
	text, err := h.press(name)
	if err != nil {
		return "", err
	}
	h.add(name, text)
	return text, nil
}
