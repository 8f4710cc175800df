package lifetimes

import (
	"sync"
	"time"
)

// A Hub passes on messages to its subscribers.
type Hub struct {
	mu    sync.RWMutex
	subs  map[string]*sub
	group sync.WaitGroup
}

type sub struct {
	out chan string
}

func (h *Hub) Subscribe(name string) <-chan string {
	s := &sub{out: make(chan string, 8)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs[name] = s
	return s.out
}

func (h *Hub) Unsubscribe(name string) {
	h.mu.Lock()
	s := h.subs[name]
	delete(h.subs, name)
	h.mu.Unlock()
	if s != nil {
		close(s.out)
	}
}

// Send has given up the lock when it sends.
func (h *Hub) Send(name, text string) {
	h.mu.RLock()
	s := h.subs[name]
	h.mu.RUnlock()
	if s != nil {
		s.out <- text // want `check-then-act: h.subs\[name\] was found at line \d+, but h.mu was released at line \d+; \(\*Hub\).Unsubscribe \(.*\) may take it out and close sub.out in between, and this send panics`
	}
}

// SendLocked keeps Unsubscribe out.
func (h *Hub) SendLocked(name, text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if s := h.subs[name]; s != nil {
		s.out <- text
	}
}

// SendRecovered does not mind.
func (h *Hub) SendRecovered(name, text string) {
	defer func() { recover() }()
	h.mu.RLock()
	s := h.subs[name]
	h.mu.RUnlock()
	if s != nil {
		s.out <- text
	}
}

// A Ring has subscribers that know that they are closed.
type Ring struct {
	mu   sync.RWMutex
	subs map[string]*sub2
}

type sub2 struct {
	out chan string

	mu     sync.Mutex
	closed bool
}

func (r *Ring) Enter(name string) <-chan string {
	s := &sub2{out: make(chan string, 8)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subs[name] = s
	return s.out
}

func (r *Ring) Leave(name string) {
	r.mu.Lock()
	s := r.subs[name]
	delete(r.subs, name)
	r.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	s.closed = true
	close(s.out)
	s.mu.Unlock()
}

func (s *sub2) send(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.out <- text
	}
}

func (r *Ring) Send(name, text string) {
	r.mu.RLock()
	s := r.subs[name]
	r.mu.RUnlock()
	if s != nil {
		s.send(text)
	}
}

// A Bus waits for those that send.
type Bus struct {
	mu   sync.RWMutex
	subs map[string]*sub3
}

type sub3 struct {
	out   chan string
	sends sync.WaitGroup
}

func (b *Bus) Enter(name string) <-chan string {
	s := &sub3{out: make(chan string, 8)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[name] = s
	return s.out
}

func (b *Bus) Leave(name string) {
	b.mu.Lock()
	s := b.subs[name]
	delete(b.subs, name)
	b.mu.Unlock()
	if s != nil {
		s.sends.Wait()
		close(s.out)
	}
}

func (b *Bus) Send(name, text string) {
	b.mu.RLock()
	s := b.subs[name]
	if s == nil {
		b.mu.RUnlock()
		return
	}
	s.sends.Add(1)
	b.mu.RUnlock()
	s.out <- text
	s.sends.Done()
}

// A Pier has subscribers that are not closed until nobody holds their lock.
type Pier struct {
	mu   sync.RWMutex
	subs map[string]*sub4
}

type sub4 struct {
	out chan string
	mu  sync.RWMutex
}

func (p *Pier) Enter(name string) <-chan string {
	s := &sub4{out: make(chan string, 8)}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.subs[name] = s
	return s.out
}

func (p *Pier) Leave(name string) {
	p.mu.Lock()
	s := p.subs[name]
	delete(p.subs, name)
	p.mu.Unlock()
	if s != nil {
		s.mu.Lock()
		close(s.out)
		s.mu.Unlock()
	}
}

func (p *Pier) Send(name, text string) {
	p.mu.RLock()
	s := p.subs[name]
	if s == nil {
		p.mu.RUnlock()
		return
	}
	s.mu.RLock()
	p.mu.RUnlock()
	s.out <- text
	s.mu.RUnlock()
}

// SendLate takes the lock of the subscriber too late.
func (p *Pier) SendLate(name, text string) {
	p.mu.RLock()
	s := p.subs[name]
	p.mu.RUnlock()
	if s == nil {
		return
	}
	s.mu.RLock()
	s.out <- text // want `check-then-act: p.subs\[name\] was found`
	s.mu.RUnlock()
}

// SendLater sends in a goroutine.
func (h *Hub) SendLater(name, text string) {
	h.mu.RLock()
	s := h.subs[name]
	h.mu.RUnlock()
	if s != nil {
		go func() { s.out <- text }() // want `check-then-act: h.subs\[name\] was found at line \d+, but h.mu was released at line \d+; \(\*Hub\).Unsubscribe \(.*\) may take it out and close sub.out in between, and this send panics`
	}
}

func sendAll(list []*sub, text string) {
	for _, s := range list {
		select {
		case s.out <- text:
		default:
		}
	}
}

// SendAllLater gives a goroutine the subscribers of now.
func (h *Hub) SendAllLater(text string) {
	var list []*sub
	h.mu.RLock()
	for _, s := range h.subs {
		list = append(list, s)
	}
	h.mu.RUnlock()
	go sendAll(list, text) // want `check-then-act: h.subs\[…\] was found at line \d+`
}

// SendLaterAgain looks in the goroutine whether it is there.
func (h *Hub) SendLaterAgain(name, text string) {
	h.mu.RLock()
	s := h.subs[name]
	h.mu.RUnlock()
	if s == nil {
		return
	}
	go func() {
		h.mu.RLock()
		defer h.mu.RUnlock()
		if h.subs[name] == s {
			s.out <- text
		}
	}()
}

// SendLaterRecovered does not mind in the goroutine.
func (h *Hub) SendLaterRecovered(name, text string) {
	h.mu.RLock()
	s := h.subs[name]
	h.mu.RUnlock()
	if s == nil {
		return
	}
	go func() {
		defer func() { recover() }()
		s.out <- text
	}()
}

// SendJoined waits for the goroutines in the section.
func (h *Hub) SendJoined(text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	var wg sync.WaitGroup
	for _, s := range h.subs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.out <- text
		}()
	}
	wg.Wait()
}

// SendEachLater starts goroutines in the section, which may run after it.
func (h *Hub) SendEachLater(text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, s := range h.subs {
		go func() { s.out <- text }() // want `check-then-act: h.subs\[…\] was found at line \d+.*; \(\*Hub\).Unsubscribe`
	}
}

// SendHandedOver leaves the lock to the goroutine.
func (h *Hub) SendHandedOver(name, text string) {
	h.mu.RLock()
	s := h.subs[name]
	if s == nil {
		h.mu.RUnlock()
		return
	}
	go func() {
		defer h.mu.RUnlock()
		s.out <- text
	}()
}

// SendAwaited waits for one goroutine.
func (h *Hub) SendAwaited(name, text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	s := h.subs[name]
	if s == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		s.out <- text
		close(done)
	}()
	<-done
}

// SendInGroup sends in a goroutine of a group that nobody waits for.
func (h *Hub) SendInGroup(name, text string) {
	h.mu.RLock()
	s := h.subs[name]
	h.mu.RUnlock()
	if s != nil {
		h.group.Go(func() { s.out <- text }) // want `check-then-act: h.subs\[name\] was found at line \d+`
	}
}

// SendAndWait waits for the group in the section.
func (h *Hub) SendAndWait(name, text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if s := h.subs[name]; s != nil {
		var group sync.WaitGroup
		group.Go(func() { s.out <- text })
		group.Wait()
	}
}

// SendTimed sends when a timer fires.
func (h *Hub) SendTimed(name, text string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if s := h.subs[name]; s != nil {
		time.AfterFunc(time.Second, func() { s.out <- text }) // want `check-then-act: h.subs\[name\] was found at line \d+`
	}
}
