package mechanisms

import "sync"

// An event happens once.
type event struct {
	once sync.Once
	c    chan struct{}
}

func newEvent() *event { return &event{c: make(chan struct{})} }

func (e *event) fire() { e.once.Do(func() { close(e.c) }) }

func (e *event) fired() bool {
	select {
	case <-e.c:
		return true
	default:
		return false
	}
}

// A radio makes its link when it is needed.
type radio struct {
	quit *event
	mu   sync.Mutex
	link interface{ Close() }
}

func newRadio() *radio { return &radio{quit: newEvent()} }

func (r *radio) init(dial func() interface{ Close() }) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link == nil {
		r.link = dial()
	}
}

// Play makes a link that Stop does not find any more: that there is none says nothing of the end.
func (r *radio) Play(dial func() interface{ Close() }) {
	if r.quit.fired() {
		return
	}
	r.init(dial) // want `check-then-act: r\.quit\.c\.closed was checked at line \d+`
}

// PlayOn looks at the event in the section of the link.
func (r *radio) PlayOn(dial func() interface{ Close() }) {
	if r.quit.fired() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quit.fired() {
		return
	}
	if r.link == nil {
		r.link = dial()
	}
}

// Stop closes the link.
func (r *radio) Stop() {
	r.quit.fire()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.link != nil {
		r.link.Close()
		r.link = nil
	}
}

// A reel is stretched once, and a closed channel that no shutdown comes after stands for that.
type reel struct {
	*event
	mu   sync.Mutex
	turn int
}

func newReel() *reel { return &reel{event: newEvent()} }

func (r *reel) Stretch() {
	if r.fired() {
		return
	}
	r.mu.Lock()
	r.turn++
	r.mu.Unlock()
	r.fire()
}
