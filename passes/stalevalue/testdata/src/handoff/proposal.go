package handoff

import "sync"

type work struct {
	name string
	size int
}

// A proposal has the fields of one kind set, and those of the others are zero.
type proposal struct {
	put    *work
	remove string
	clear  bool
	done   chan struct{}
}

// A Machine applies entries, one after the other. It looks before it puts.
type Machine struct {
	mu      sync.Mutex
	works   map[string]*work
	entries chan proposal
}

func NewMachine() *Machine {
	m := &Machine{works: make(map[string]*work), entries: make(chan proposal)}
	go m.run()
	return m
}

func (m *Machine) run() {
	for e := range m.entries {
		switch {
		case e.put != nil:
			m.apply(e.put)
		case e.remove != "":
			m.drop(e.remove)
		case e.clear:
			m.wipe()
		}
		close(e.done)
	}
}

func (m *Machine) find(name string) *work {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.works[name]
}

func (m *Machine) apply(w *work) {
	if m.find(w.name) == nil {
		m.set(w)
	}
}

func (m *Machine) set(w *work) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.works[w.name] = w
}

func (m *Machine) drop(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.works, name)
}

func (m *Machine) wipe() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.works)
}

// propose sets a field of the proposal that it is given.
func (m *Machine) propose(e proposal) {
	e.done = make(chan struct{})
	m.entries <- e
	<-e.done
}

// Launch sends a proposal that the machine checks. What it does with entries of the other kinds does
// not matter.
func (m *Machine) Launch(name string) bool {
	if m.find(name) != nil {
		return false
	}
	m.propose(proposal{put: &work{name: name}})
	return true
}

// Finish sends a proposal of another kind, which the machine does not check.
func (m *Machine) Finish(name string) bool {
	if w := m.find(name); w == nil || w.size > 0 {
		return false
	}
	m.propose(proposal{remove: name}) // want `m.works\[name\] was checked at line 94, .* before \(\*Machine\).run, which receives what is sent here`
	return true
}
