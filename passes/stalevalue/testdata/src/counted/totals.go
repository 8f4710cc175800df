package counted

import "sync"

// A total collects values until it is taken out.
type total struct {
	mu   sync.Mutex
	n    int
	sum  float64
	done bool
}

func (t *total) add(v float64) {
	t.mu.Lock()
	t.n++
	t.sum += v
	t.mu.Unlock()
}

func (t *total) addIfOpen(v float64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return false
	}
	t.n++
	t.sum += v
	return true
}

func (t *total) close() (int, float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done = true
	return t.n, t.sum
}

type Totals struct {
	mu     sync.RWMutex
	byName map[string]*total
	report func(name string, n int, sum float64)
}

func (s *Totals) total(name string) *total {
	s.mu.RLock()
	t := s.byName[name]
	s.mu.RUnlock()
	if t != nil {
		return t
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t = s.byName[name]; t == nil {
		t = new(total)
		s.byName[name] = t
	}
	return t
}

// Observe adds to a total that may have been reported meanwhile.
func (s *Totals) Observe(name string, v float64) {
	s.total(name).add(v) // want `s.byName\[name\] was found at line \d+, but .* another goroutine may take it out of there, and use s.byName\[…\].n without what this call of add adds`
}

// ObserveOpen tries again with another total if this one is closed.
func (s *Totals) ObserveOpen(name string, v float64) {
	for !s.total(name).addIfOpen(v) {
	}
}

// ObserveHere adds in the section in which the total is found.
func (s *Totals) ObserveHere(name string, v float64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t := s.byName[name]; t != nil {
		t.add(v)
	}
}

func (s *Totals) takeAll() map[string]*total {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]*total)
	for name, t := range s.byName {
		out[name] = t
		delete(s.byName, name)
	}
	return out
}

func (s *Totals) Flush() {
	for name, t := range s.takeAll() {
		n, sum := t.close()
		s.report(name, n, sum)
	}
}

// Tables has one table that is filled, and the full ones.
type Tables struct {
	mu      sync.RWMutex
	active  *memtable
	full    []*memtable
	writers sync.WaitGroup
}

type memtable struct {
	mu      sync.Mutex
	rows    map[string]string
	writers int
}

func (t *memtable) put(k, v string) {
	t.mu.Lock()
	t.rows[k] = v
	t.mu.Unlock()
}

func (t *memtable) all() (out []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, v := range t.rows {
		out = append(out, k+v)
	}
	return out
}

// Put fills a table that may be full, and written, by then.
func (s *Tables) Put(k, v string) {
	s.mu.RLock()
	t := s.active
	s.mu.RUnlock()
	t.put(k, v) // want `s.active was found at line \d+, but s.mu was released at line \d+ and another goroutine may take it out of there, and use s.active.rows\[k\] without what this call of put adds`
}

// PutPinned counts itself as a writer in the section in which it finds the table.
func (s *Tables) PutPinned(k, v string) {
	s.mu.Lock()
	t := s.active
	t.writers++
	s.mu.Unlock()
	t.put(k, v)
	s.mu.Lock()
	t.writers--
	s.mu.Unlock()
}

func (s *Tables) Rotate() {
	s.mu.Lock()
	s.full = append(s.full, s.active)
	s.active = &memtable{rows: make(map[string]string)}
	s.mu.Unlock()
}

func (s *Tables) Write(write func([]string)) {
	s.mu.Lock()
	full := s.full
	s.full = nil
	s.mu.Unlock()
	for _, t := range full {
		write(t.all())
	}
}

// Rooms has objects that are counted when they are taken out, which is what is told of them and nothing else.
type Rooms struct {
	mu    sync.Mutex
	rooms map[string]*visited
}

type visited struct {
	mu     sync.Mutex
	visits int
	name   string
}

func (r *visited) visit() {
	r.mu.Lock()
	r.visits++
	r.mu.Unlock()
}

func (r *visited) title() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.name
}

func (r *visited) rename(name string) {
	r.mu.Lock()
	r.name = name
	r.mu.Unlock()
}

// Visit counts in a room that may have gone: nobody looks at the count of one that has.
func (s *Rooms) Visit(name string) {
	s.mu.Lock()
	r := s.rooms[name]
	s.mu.Unlock()
	if r != nil {
		r.visit()
	}
}

func (s *Rooms) Leave(name string) string {
	s.mu.Lock()
	r := s.rooms[name]
	delete(s.rooms, name)
	s.mu.Unlock()
	if r == nil {
		return ""
	}
	return r.title()
}
