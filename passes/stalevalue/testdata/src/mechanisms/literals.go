package mechanisms

import "sync"

// Channels that are flags, in variables.

var halted = make(chan struct{})

// Halt may be called twice at a time, and closes twice then.
func Halt() {
	select {
	case <-halted:
	default:
		close(halted) // want `check-then-act: halted\.closed was checked at line \d+`
	}
}

func Halted() { <-halted }

// FirstFailure has workers that each stop the others.
func FirstFailure(jobs chan func() error, workers int) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for job := range jobs {
				if job() != nil {
					select {
					case <-quit:
					default:
						close(quit) // want `check-then-act: quit\.closed was checked at line \d+.*several goroutines started at`
					}
				}
			}
		}()
	}
	<-quit
	wg.Wait()
}

// OneFailure has one goroutine that closes.
func OneFailure(jobs chan func() error) {
	quit := make(chan struct{})
	go func() {
		for job := range jobs {
			if job() != nil {
				select {
				case <-quit:
				default:
					close(quit)
				}
			}
		}
	}()
	<-quit
}

// LockedFailure looks and closes in one critical section.
func LockedFailure(jobs chan func() error, workers int) {
	quit := make(chan struct{})
	var mu sync.Mutex
	for range workers {
		go func() {
			for job := range jobs {
				if job() != nil {
					mu.Lock()
					select {
					case <-quit:
					default:
						close(quit)
					}
					mu.Unlock()
				}
			}
		}()
	}
	<-quit
}

// GivenChannel is a channel that somebody else may send to: it is no flag.
func GivenChannel(jobs chan func() error, workers int, give func(chan struct{})) {
	quit := make(chan struct{}, 1)
	give(quit)
	for range workers {
		go func() {
			for job := range jobs {
				select {
				case <-quit:
				default:
					job()
				}
			}
		}()
	}
}

type relay struct{ done, lost chan struct{} }

func newRelay(late <-chan bool) *relay {
	r := &relay{make(chan struct{}), make(chan struct{})}
	for range 2 {
		go func() {
			<-late
			r.Stop()
		}()
	}
	return r
}

// Stop looks at two flags at once.
func (r *relay) Stop() {
	select {
	case <-r.done:
	case <-r.lost:
	default:
		close(r.done) // want `check-then-act: r\.done\.closed was checked at line \d+`
	}
}

func (r *relay) Wait() {
	<-r.done
	<-r.lost
}

// Literals in local variables, which goroutines call.

// Tally has goroutines that call a helper.
func Tally(parts [][]int, weigh func(int) int) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	add := func(n int) {
		mu.Lock()
		t := total
		mu.Unlock()
		t += weigh(n)
		mu.Lock()
		total = t // want `lost-update: total was read at line \d+.*several goroutines started at`
		mu.Unlock()
	}
	for _, part := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, n := range part {
				add(n)
			}
		}()
	}
	wg.Wait()
	return total
}

// TallyAlone has one goroutine that calls the helper, as often as it likes.
func TallyAlone(part []int, weigh func(int) int, show func(int)) {
	var mu sync.Mutex
	total := 0
	add := func(n int) {
		mu.Lock()
		t := total
		mu.Unlock()
		t += weigh(n)
		mu.Lock()
		total = t
		mu.Unlock()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, n := range part {
			add(n)
		}
		add(0)
	}()
	mu.Lock()
	show(total)
	mu.Unlock()
	<-done
}

// Account returns literals that share a map.
func Account() (move func(from, to string, n int) bool, put func(string, int)) {
	var mu sync.Mutex
	held := make(map[string]int)
	move = func(from, to string, n int) bool {
		mu.Lock()
		has := held[from]
		mu.Unlock()
		if has < n {
			return false
		}
		mu.Lock()
		held[from] -= n // want `check-then-act: held\[from\] was checked at line \d+`
		held[to] += n
		mu.Unlock()
		return true
	}
	put = func(k string, n int) {
		mu.Lock()
		held[k] = n
		mu.Unlock()
	}
	return move, put
}

// Bounded asks for the size of a map in an earlier section.
func Bounded(keys chan string, workers, limit int, work func()) {
	var mu sync.Mutex
	busy := make(map[string]bool)
	for range workers {
		go func() {
			for k := range keys {
				mu.Lock()
				n := len(busy)
				mu.Unlock()
				if n >= limit {
					continue
				}
				mu.Lock()
				busy[k] = true // want `check-then-act: busy was checked at line \d+`
				mu.Unlock()
				work()
				mu.Lock()
				delete(busy, k)
				mu.Unlock()
			}
		}()
	}
}

// A strongbox runs literals under its lock, and returns what they return.
type strongbox struct {
	mu    sync.Mutex
	total int
	state string
}

func (l *strongbox) view(f func() int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return f()
}

func locked[T any](mu *sync.Mutex, f func() T) T {
	mu.Lock()
	defer mu.Unlock()
	return f()
}

// Raise computes with what the literal has read.
func (l *strongbox) Raise(next func(int) int) {
	n := l.view(func() int { return l.total })
	l.mu.Lock()
	l.total = next(n) // want `lost-update: l\.total was read at line \d+`
	l.mu.Unlock()
}

// Open decides by it.
func (l *strongbox) Open() {
	if locked(&l.mu, func() string { return l.state }) != "closed" {
		l.mu.Lock()
		l.state = "open" // want `check-then-act: l\.state was checked at line \d+`
		l.mu.Unlock()
	}
}

// OpenAtOnce does both in the literal.
func (l *strongbox) OpenAtOnce() bool {
	return locked(&l.mu, func() bool {
		if l.state == "closed" {
			return false
		}
		l.state = "open"
		return true
	})
}

func (l *strongbox) Close() {
	l.mu.Lock()
	l.state = "closed"
	l.mu.Unlock()
}
