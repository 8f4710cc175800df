package shutdowns

import "sync"

// An Outbox has one goroutine that sends, which Close waits for.
type Outbox struct {
	send func(string) error

	mu     sync.Mutex
	queue  []string
	closed bool

	quit, done chan struct{}
}

func NewOutbox(send func(string) error) *Outbox {
	o := &Outbox{send: send, quit: make(chan struct{}), done: make(chan struct{})}
	go o.run()
	return o
}

func (o *Outbox) Add(m string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.queue = append(o.queue, m)
	return true
}

func (o *Outbox) head() (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return "", false
	}
	return o.queue[0], true
}

func (o *Outbox) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = o.queue[1:]
}

// run may drop a mail after Close has told it to end, but not after Close has looked at the queue.
func (o *Outbox) run() {
	defer close(o.done)
	for {
		select {
		case <-o.quit:
			return
		default:
		}
		if m, ok := o.head(); ok && o.send(m) == nil {
			o.drop()
		}
	}
}

func (o *Outbox) Close() []string {
	o.mu.Lock()
	if !o.closed {
		o.closed = true
		close(o.quit)
	}
	o.mu.Unlock()
	<-o.done
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := o.queue
	o.queue = nil
	return rest
}

// An Inbox does not wait for its goroutine.
type Inbox struct {
	mu     sync.Mutex
	queue  []string
	closed bool

	take func() string
	quit chan struct{}
}

func NewInbox(take func() string) *Inbox {
	o := &Inbox{take: take, quit: make(chan struct{})}
	go o.run()
	return o
}

func (o *Inbox) add(m string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.queue = append(o.queue, m)
}

func (o *Inbox) Put(m string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.queue = append(o.queue, m)
	return true
}

func (o *Inbox) run() {
	for {
		m := o.take()
		select {
		case <-o.quit:
			return
		default:
		}
		o.add(m) // want `o.quit.closed was checked`
	}
}

func (o *Inbox) Close() []string {
	o.mu.Lock()
	if !o.closed {
		o.closed = true
		close(o.quit)
	}
	o.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := o.queue
	o.queue = nil
	return rest
}
