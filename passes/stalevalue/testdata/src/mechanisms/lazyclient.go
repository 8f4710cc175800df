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

// A reel makes its key when it is needed, and Stop has a last use for it.
type reel struct {
	quit *event
	mu   sync.Mutex
	key  *[]byte
}

func newReel() *reel { return &reel{quit: newEvent()} }

func (r *reel) setup() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.key == nil {
		r.key = new([]byte)
	}
}

// Turn may make a key that Stop has not had: it stays good.
func (r *reel) Turn() {
	if r.quit.fired() {
		return
	}
	r.setup()
}

func (r *reel) Stop(seal func(*[]byte)) {
	r.quit.fire()
	r.mu.Lock()
	defer r.mu.Unlock()
	seal(r.key)
}
