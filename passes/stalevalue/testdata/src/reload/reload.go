// Package reload has variables that are read, found usable, and read again.
package reload

import (
	"sync"
	"sync/atomic"
)

type wire struct {
	name string
	sent int
}

func (w *wire) Send(s string) int {
	if s == "" {
		return 0
	}
	w.sent++
	return w.sent
}

// Text works without a wire.
func (w *wire) Text() string {
	if w == nil {
		return "none"
	}
	return w.name
}

type speaker interface{ Speak(string) }

// A Line is connected and cut.
type Line struct {
	mu      sync.Mutex
	wire    *wire
	onSend  func(string)
	speaker speaker
	share   int
	label   *wire
	busy    bool
	first   atomic.Pointer[wire]
	any     any
}

func (l *Line) Connect(w *wire, f func(string), s speaker, share int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wire, l.onSend, l.speaker, l.share, l.any = w, f, s, share, w
	l.first.Store(w)
}

func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wire, l.onSend, l.speaker, l.any = nil, nil, nil, nil
	l.first.Store(nil)
}

func (l *Line) Wire() *wire          { l.mu.Lock(); defer l.mu.Unlock(); return l.wire }
func (l *Line) OnSend() func(string) { l.mu.Lock(); defer l.mu.Unlock(); return l.onSend }
func (l *Line) Speaker() speaker     { l.mu.Lock(); defer l.mu.Unlock(); return l.speaker }
func (l *Line) Shares() int          { l.mu.Lock(); defer l.mu.Unlock(); return l.share }
func (l *Line) Connected() bool      { l.mu.Lock(); defer l.mu.Unlock(); return l.wire != nil }

// Send asks for the wire twice.
func (l *Line) Send(s string) int {
	if l.Wire() == nil {
		return 0
	}
	return l.Wire().Send(s) // want `check-then-act: l\.wire was checked at line \d+, but l\.mu was released when Wire returned and another goroutine may clear it before it is used here unchecked`
}

// Ask asks a predicate first.
func (l *Line) Ask() string {
	if !l.Connected() {
		return ""
	}
	return l.Wire().name // want `check-then-act: l\.wire was checked at line \d+`
}

// Tell calls what it has found before.
func (l *Line) Tell(s string) {
	if l.OnSend() != nil {
		l.OnSend()(s) // want `check-then-act: l\.onSend was checked at line \d+`
	}
}

// Announce calls a method of an interface.
func (l *Line) Announce(s string) {
	if l.Speaker() != nil {
		l.Speaker().Speak(s) // want `check-then-act: l\.speaker was checked at line \d+`
	}
}

// Share divides by what has become zero meanwhile.
func (l *Line) Share(n int) int {
	if l.Shares() == 0 {
		return n
	}
	return n / l.Shares() // want `check-then-act: l\.share was checked at line \d+`
}

// First does the same with an atomic pointer.
func (l *Line) First() string {
	if l.first.Load() != nil {
		return l.first.Load().name // want `check-then-act: l\.first was checked at line \d+`
	}
	return ""
}

// Kind asserts the type of what may be gone.
func (l *Line) Kind() *wire {
	l.mu.Lock()
	there := l.any != nil
	l.mu.Unlock()
	if !there {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.any.(*wire) // want `check-then-act: l\.any was checked at line \d+`
}

// SendOnce keeps what it has found.
func (l *Line) SendOnce(s string) int {
	w := l.Wire()
	if w == nil {
		return 0
	}
	return w.Send(s)
}

// SendChecked asks again, in the section of the use.
func (l *Line) SendChecked() string {
	if l.Wire() == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wire == nil {
		return ""
	}
	return l.wire.name
}

// Describe calls a method that asks whether there is a wire.
func (l *Line) Describe() string {
	if l.Wire() == nil {
		return "cut"
	}
	return l.Wire().Text()
}

// Same only compares the two.
func (l *Line) Same() bool {
	w := l.Wire()
	return w != nil && l.Wire() == w
}

// Name is about a variable that is only ever filled.
func (l *Line) Name() string {
	l.mu.Lock()
	there := l.label != nil
	l.mu.Unlock()
	if !there {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.label.name
}

func (l *Line) SetName(w *wire) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.label = w
}

// Outer holds a lock that all writers need.
type Outer struct {
	change sync.Mutex
	mu     sync.Mutex
	wire   *wire
}

func (o *Outer) Set() {
	o.change.Lock()
	o.mu.Lock()
	o.wire = new(wire)
	o.mu.Unlock()
	o.change.Unlock()
}
func (o *Outer) Cut() { o.change.Lock(); o.mu.Lock(); o.wire = nil; o.mu.Unlock(); o.change.Unlock() }

func (o *Outer) get() *wire { o.mu.Lock(); defer o.mu.Unlock(); return o.wire }

func (o *Outer) Name() string {
	o.change.Lock()
	defer o.change.Unlock()
	if o.get() == nil {
		return ""
	}
	return o.get().name
}
