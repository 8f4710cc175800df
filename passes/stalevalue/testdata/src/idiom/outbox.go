package idiom

import "sync"

// An Outbox has letters that one goroutine delivers. Others only append.
type Outbox struct {
	mu      sync.Mutex
	letters []string
	failed  int
	resume  chan struct{}
	deliver func(string) error
}

func NewOutbox(deliver func(string) error) *Outbox {
	o := &Outbox{resume: make(chan struct{}, 1), deliver: deliver}
	go o.run()
	return o
}

func (o *Outbox) Send(l string) {
	o.mu.Lock()
	o.letters = append(o.letters, l)
	o.mu.Unlock()
	select {
	case o.resume <- struct{}{}:
	default:
	}
}

func (o *Outbox) Failed() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failed
}

// run leaves a letter at the front while it is delivered. A flag tells whether there was one, and
// whether it is delivered does not depend on what others append.
func (o *Outbox) run() {
	for {
		var l string
		var ok bool
		o.mu.Lock()
		if len(o.letters) != 0 {
			l, ok = o.letters[0], true
		}
		o.mu.Unlock()
		if !ok {
			<-o.resume
			continue
		}
		err := o.deliver(l)
		o.mu.Lock()
		o.letters = o.letters[1:]
		if err != nil {
			o.failed++
		}
		o.mu.Unlock()
	}
}
