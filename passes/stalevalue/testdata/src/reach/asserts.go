package reach

import "sync"

// Second looks that are none: to panic is to insist.

type slots struct {
	mu   sync.Mutex
	used []bool
}

func (s *slots) free() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, u := range s.used {
		if !u {
			return i
		}
	}
	return -1
}

func (s *slots) mark(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used[i] {
		panic("used")
	}
	s.used[i] = true
}

func (s *slots) tryMark(i int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used[i] {
		return false
	}
	s.used[i] = true
	return true
}

func (s *slots) Insist(taken chan<- int) {
	if i := s.free(); i >= 0 {
		taken <- i
		s.mark(i) // want `check-then-act: s\.used was checked`
	}
}

func (s *slots) Ask() bool {
	i := s.free()
	return i >= 0 && s.tryMark(i)
}

// Nor is a look that yields nil, to who does not ask.

type job struct{ run func() }

type queue struct {
	mu   sync.Mutex
	jobs []*job
}

func (q *queue) Add(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, j)
}

func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs) == 0
}

func (q *queue) pop() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return nil
	}
	j := q.jobs[0]
	q.jobs = q.jobs[1:]
	return j
}

func (q *queue) RunOne() {
	if !q.empty() {
		q.pop().run() // want `check-then-act: q\.jobs was checked`
	}
}

func (q *queue) RunOneIfAny() {
	if !q.empty() {
		if j := q.pop(); j != nil {
			j.run()
		}
	}
}

// Other second looks that are none: something was put where nothing was, but what
// was checked is something else, and who changed it takes away everything.

type registry struct {
	mu     sync.Mutex
	closed bool
	names  map[string]*job
}

func (r *registry) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

func (r *registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	clear(r.names)
}

func (r *registry) intern(name string) *job {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.names[name]
	if j == nil {
		j = new(job)
		r.names[name] = j
	}
	return j
}

func (r *registry) drop(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.names[name]; ok {
		delete(r.names, name)
	}
}

func (r *registry) Open(name string) *job {
	if r.isClosed() {
		return nil
	}
	return r.intern(name) // want `check-then-act: r\.closed was checked`
}

func (r *registry) Forget(name string) {
	if !r.isClosed() {
		r.drop(name)
	}
}

// An open door that was seen closed before: what a getter negates is no final
// value.

type valve struct {
	mu   sync.Mutex
	shut bool
	flow int
}

func (v *valve) Shut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut, v.flow = true, 0
}

func (v *valve) isOpen() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.shut
}

func (v *valve) isShut() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shut
}

func (v *valve) set(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.flow = n
}

func (v *valve) Pour(n int) {
	if v.isOpen() {
		v.set(n) // want `check-then-act: v\.shut was checked`
	}
}

func (v *valve) Rinse() {
	if !v.isOpen() {
		v.set(1)
	}
}

func (v *valve) RinseShut() {
	if v.isShut() {
		v.set(2)
	}
}
