package callees

import "sync"

type score struct {
	mu  sync.Mutex
	sum int
	max int
}

// Grade starts a goroutine for each part. They work on the same object.
func Grade(parts []int) int {
	s := &score{}
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.mu.Lock()
			sum := s.sum
			s.mu.Unlock()
			sum = sum*10 + p
			s.mu.Lock()
			s.sum = sum // want `lost-update: s\.sum was read`
			s.mu.Unlock()
		}()
	}
	wg.Wait()
	return s.sum
}

// GradeAtOnce does the same in one step.
func GradeAtOnce(parts []int) int {
	s := &score{}
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.mu.Lock()
			s.sum = s.sum*10 + p
			s.mu.Unlock()
		}()
	}
	wg.Wait()
	return s.sum
}

// Best names the function that runs in the goroutines.
func Best(parts []int) int {
	s := new(score)
	var wg sync.WaitGroup
	wg.Add(len(parts))
	for _, p := range parts {
		go s.offer(p, &wg)
	}
	wg.Wait()
	return s.max
}

func (s *score) offer(p int, wg *sync.WaitGroup) {
	defer wg.Done()
	s.mu.Lock()
	best := s.max
	s.mu.Unlock()
	if p > best {
		s.mu.Lock()
		s.max = p // want `check-then-act: s\.max was checked`
		s.mu.Unlock()
	}
}

type extreme struct {
	mu  sync.Mutex
	max int
}

func BestAgain(parts []int) int {
	e := new(extreme)
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(func() { e.offer(p) })
	}
	wg.Wait()
	return e.max
}

func (e *extreme) offer(p int) {
	e.mu.Lock()
	best := e.max
	e.mu.Unlock()
	if p <= best {
		return
	}
	e.mu.Lock()
	if p > e.max {
		e.max = p
	}
	e.mu.Unlock()
}

type larger struct {
	mu  sync.Mutex
	max int
}

// Offer compares with what is there by then.
func (l *larger) Offer(p int) {
	l.mu.Lock()
	best := l.max
	l.mu.Unlock()
	if p <= best {
		return
	}
	l.mu.Lock()
	l.max = max(l.max, p)
	l.mu.Unlock()
}
