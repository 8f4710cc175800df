// Package window takes elements out, and puts them in again in a later critical section.
package window

import "sync"

// Shards are given to nodes.
type Shards struct {
	mu    sync.Mutex
	owner map[int]string
	nodes []string
}

func (s *Shards) remove(k int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.owner, k)
}

func (s *Shards) give(k int, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owner[k] = to
}

// giveIfFree looks whether somebody has it.
func (s *Shards) giveIfFree(k int, to string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.owner[k]; ok {
		return false
	}
	s.owner[k] = to
	return true
}

// Fill gives those that nobody has to some node.
func (s *Shards) Fill(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range n {
		if _, ok := s.owner[k]; ok {
			continue
		}
		s.owner[k] = s.nodes[k%len(s.nodes)]
	}
}

// Move leaves the shard without an owner for a while.
func (s *Shards) Move(k int, to string) {
	s.remove(k)
	s.give(k, to) // want `split-write: s.owner\[k\] is written here after it was removed at line 50, in an earlier critical section: in between \(\*Shards\).giveIfFree \(window.go:\d+\) finds nothing there, and fills it itself`
}

// MoveInOne replaces the owner.
func (s *Shards) MoveInOne(k int, to string) { s.give(k, to) }

// MoveIfFree finds the owner that Fill has chosen.
func (s *Shards) MoveIfFree(k int, to string) bool {
	s.remove(k)
	return s.giveIfFree(k, to)
}

// MoveOther puts something in another place.
func (s *Shards) MoveOther(from, k int, to string) {
	s.remove(from)
	s.give(k, to)
}

// Ports have a function that looks under the lock that a move holds.
type Ports struct {
	moves sync.Mutex
	mu    sync.Mutex
	users map[int]string
}

func (p *Ports) remove(k int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.users, k)
}

func (p *Ports) give(k int, to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users[k] = to
}

func (p *Ports) MoveAlone(k int, to string) {
	p.moves.Lock()
	defer p.moves.Unlock()
	p.remove(k)
	p.give(k, to)
}

func (p *Ports) Open(k int, by string) bool {
	p.moves.Lock()
	defer p.moves.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.users[k]; ok {
		return false
	}
	p.users[k] = by
	return true
}

// Names are only looked at: that one is not there for a while does no harm to who shows what there is.
type Names struct {
	mu  sync.Mutex
	all map[string]int
}

func (n *Names) drop(k string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.all, k)
}

func (n *Names) set(k string, v int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all[k] = v
}

func (n *Names) Replace(k string, v int) {
	n.drop(k)
	n.set(k, v)
}

func (n *Names) Get(k string) (int, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, ok := n.all[k]
	return v, ok
}

// A Loader has one goroutine, which does all of it.
type Loader struct {
	mu  sync.Mutex
	all map[int]int
}

func NewLoader() *Loader {
	l := &Loader{all: make(map[int]int)}
	go l.run()
	return l
}

func (l *Loader) run() {
	for k := range 10 {
		l.move(k)
		l.fill(k)
	}
}

func (l *Loader) move(k int) {
	l.mu.Lock()
	delete(l.all, k)
	l.mu.Unlock()
	l.mu.Lock()
	l.all[k] = k
	l.mu.Unlock()
}

func (l *Loader) fill(k int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.all[k]; !ok {
		l.all[k] = k
	}
}

func (l *Loader) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.all)
}

// A Rota has shifts; one is replaced by being taken out and put in again.
type Rota struct {
	mu     sync.Mutex
	shifts map[string]*shift
}

type shift struct{ who string }

func (r *Rota) Add(day string, who string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.shifts[day]; ok {
		return false
	}
	r.shifts[day] = &shift{who}
	return true
}

func (r *Rota) Remove(day string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.shifts, day)
}

func (r *Rota) who(day string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shifts[day].who
}

// Renew loses the shift if another is added in between.
func (r *Rota) Renew(day string) bool {
	who := r.who(day)
	r.Remove(day)
	return r.Add(day, who) // want `split-write: r\.shifts\[day\] is written here after it was removed at line \d+`
}

// Reset puts in something else, unless there is something: either will do.
func (r *Rota) Reset(day string) bool {
	r.Remove(day)
	return r.Add(day, "nobody")
}
