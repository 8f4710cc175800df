// Package lesslook has decisions by a state that the callee which acts looks at again: for the same, or for less.
package lesslook

import "sync"

type State int

const (
	Alive State = iota
	Suspect
	Dead
)

type Node struct {
	name  string
	state State
	seen  int
}

type Members struct {
	mu    sync.Mutex
	nodes map[string]*Node
	left  []string
}

func (m *Members) Join(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.nodes == nil {
		m.nodes = make(map[string]*Node)
	}
	m.nodes[name] = &Node{name: name}
}

func (m *Members) Accuse(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.nodes[name]; n != nil && n.state == Alive {
		n.state = Suspect
	}
}

// Refute makes a suspect alive again.
func (m *Members) Refute(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := m.nodes[name]; n != nil {
		n.state = Alive
		n.seen++
	}
}

// Expire buries who may have refuted: bury only asks whether it has been done.
func (m *Members) Expire(name string) {
	m.mu.Lock()
	n := m.nodes[name]
	due := n != nil && n.state == Suspect
	m.mu.Unlock()
	if due {
		m.bury(name) // want `check-then-act: m.nodes\[.*\].state was checked at line \d+`
	}
}

func (m *Members) bury(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.nodes[name]; ok {
		m.buryLocked(n)
	}
}

func (m *Members) buryLocked(n *Node) {
	if n.state == Dead {
		return
	}
	n.state = Dead
	m.left = append(m.left, n.name)
}

// ExpireLate has a callee that asks whether it is dead, or beyond that.
func (m *Members) ExpireLate(name string) {
	m.mu.Lock()
	n := m.nodes[name]
	due := n != nil && n.state == Suspect
	m.mu.Unlock()
	if due {
		m.buryBelow(name) // want `check-then-act: m.nodes\[.*\].state was checked at line`
	}
}

func (m *Members) buryBelow(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if !ok || n.state >= Dead {
		return
	}
	n.state = Dead
	m.left = append(m.left, n.name)
}

// ExpireAbove has a callee that asks whether it is more than alive, which is all that others make of a suspect.
func (m *Members) ExpireAbove(name string) {
	m.mu.Lock()
	n := m.nodes[name]
	due := n != nil && n.state == Suspect
	m.mu.Unlock()
	if due {
		m.buryAbove(name)
	}
}

func (m *Members) buryAbove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if !ok || n.state <= Alive || n.state >= Dead {
		return
	}
	n.state = Dead
	m.left = append(m.left, n.name)
}

// ExpireAsked asks the same again.
func (m *Members) ExpireAsked(name string) {
	m.mu.Lock()
	n := m.nodes[name]
	due := n != nil && n.state == Suspect
	m.mu.Unlock()
	if due {
		m.buryIfSuspect(name)
	}
}

func (m *Members) buryIfSuspect(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n, ok := m.nodes[name]; ok && n.state == Suspect {
		n.state = Dead
		m.left = append(m.left, n.name)
	}
}

// ExpireOthers rules out what others store: a suspect is the only one that is neither alive nor dead.
func (m *Members) ExpireOthers(name string) {
	m.mu.Lock()
	n := m.nodes[name]
	due := n != nil && n.state == Suspect
	m.mu.Unlock()
	if due {
		m.buryUnlessAlive(name)
	}
}

func (m *Members) buryUnlessAlive(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if !ok || n.state == Dead || n.state == Alive {
		return
	}
	n.state = Dead
	m.left = append(m.left, n.name)
}

// ExpireOlder is told apart by a count that the callee compares.
func (m *Members) ExpireOlder(name string) {
	m.mu.Lock()
	n := m.nodes[name]
	due, seen := n != nil && n.state == Suspect, 0
	if n != nil {
		seen = n.seen
	}
	m.mu.Unlock()
	if due {
		m.buryAsOf(name, seen)
	}
}

func (m *Members) buryAsOf(name string, seen int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if !ok || n.state == Dead || n.seen != seen {
		return
	}
	n.state = Dead
	m.left = append(m.left, n.name)
}

// A Valve opens and closes; only Close stores closed, and nothing comes after it.
type Valve struct {
	mu    sync.Mutex
	state State
	moved int
}

// Shut is asked for by whoever finds it not closed: the callee looks for the same.
func (v *Valve) Shut() {
	v.mu.Lock()
	open := v.state != Dead
	v.mu.Unlock()
	if open {
		v.shut()
	}
}

func (v *Valve) shut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.state == Dead {
		return
	}
	v.state = Dead
	v.moved++
}

func (v *Valve) Move() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.state = Suspect
	v.moved++
}

// Drain is refused by a valve that moves, and shuts one that nobody could write to: that has nothing to do with moving.
func (v *Valve) Drain(write func() error) error {
	v.mu.Lock()
	if v.state == Suspect {
		v.mu.Unlock()
		return nil
	}
	v.mu.Unlock()
	err := write()
	if err != nil {
		v.shut()
	}
	return err
}

// ExpireMortal asks for more than its comparisons say.
func (m *Members) ExpireMortal(name string) {
	m.mu.Lock()
	n := m.nodes[name]
	due := n != nil && n.state == Suspect
	m.mu.Unlock()
	if due {
		m.buryMortal(name)
	}
}

var mortal = map[State]bool{Suspect: true}

func (m *Members) buryMortal(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, ok := m.nodes[name]
	if !ok || n.state == Dead || !mortal[n.state] {
		return
	}
	n.state = Dead
	m.left = append(m.left, n.name)
}

// ExpireAnyway acts for all states.
func (m *Members) ExpireAnyway(name string, note func(string)) {
	m.mu.Lock()
	n := m.nodes[name]
	suspected := n != nil && n.state == Suspect
	m.mu.Unlock()
	if suspected {
		note(name)
		m.bury(name)
	} else {
		m.bury(name)
	}
}

// A Job only goes forward: nobody takes it away from a state but the one who has found it there.
type Job struct {
	mu    sync.Mutex
	state State
	ended int
}

func (j *Job) State() State {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state
}

func (j *Job) Doubt() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state != Alive {
		return
	}
	j.state = Suspect
}

func (j *Job) Timeout() {
	if j.State() == Suspect {
		j.finish()
	}
}

func (j *Job) finish() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state == Dead {
		return
	}
	j.state = Dead
	j.ended++
}

// A Worker goes round; its end is asked for by what it was found in.
type Worker struct {
	mu    sync.Mutex
	state State
	ended int
}

func (w *Worker) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state
}

func (w *Worker) Doubt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == Alive {
		w.state = Suspect
	}
}

func (w *Worker) Trust() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == Suspect {
		w.state = Alive
	}
}

func (w *Worker) Timeout() {
	if w.State() == Suspect {
		w.finish() // want `check-then-act: w.state was checked at line .*Trust`
	}
}

func (w *Worker) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == Dead {
		return
	}
	w.state = Dead
	w.ended++
}

// Demote goes by what it finds.
func (w *Worker) Demote() {
	if w.State() == Suspect {
		w.lower()
	}
}

func (w *Worker) lower() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == Dead {
		return
	}
	w.state = max(w.state-1, Alive)
}
