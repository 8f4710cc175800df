package early

import "sync"

type event struct {
	kind string
	id   int
}

// A Relay tells of the jobs that it runs.
type Relay struct {
	mu     sync.Mutex
	last   int
	events chan event
}

func (r *Relay) draw() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

func (r *Relay) wait(id int) {
	r.events <- event{"ended", id}
}

// Open tells of the start when the job may have ended.
func (r *Relay) Open() {
	id := r.draw()
	go r.wait(id)
	r.events <- event{"started", id} // want `early-signal: Relay.events is sent to here, after the goroutine was started at line 31 that sends to it, too \(overtaken.go:25\): the receiver may learn of what came later first`
}

// OpenFirst tells of it before.
func (r *Relay) OpenFirst() {
	id := r.draw()
	r.events <- event{"started", id}
	go r.wait(id)
}

// Log tells of something else.
func (r *Relay) Log(line string) {
	id := r.draw()
	go r.wait(id)
	r.events <- event{line, 0}
}

// Forward tells another one.
func (r *Relay) Forward(to *Relay) {
	id := r.draw()
	go to.wait(id)
	r.events <- event{"forwarded", id}
}

func (r *Relay) waitTold(id int, told chan bool) {
	<-told
	r.events <- event{"ended", id}
}

// OpenTold lets the job wait until it has told of it.
func (r *Relay) OpenTold() {
	id := r.draw()
	told := make(chan bool)
	go r.waitTold(id, told)
	r.events <- event{"started", id}
	close(told)
}
