// Package verdicts has checks that tell by an error what they have found.
package verdicts

import (
	"errors"
	"fmt"
	"io"
	"sync"
)

var errShut = errors.New("shut")

type theatre struct {
	mu    sync.Mutex
	shut  bool
	seats map[int]string
	size  int
	names []string
	lamp  io.Closer
}

// room is a verdict with a number in its text.
func (t *theatre) room() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seats) >= t.size {
		return fmt.Errorf("all %d seats are taken", t.size)
	}
	return nil
}

func (t *theatre) Book(seat int, name string) error {
	if err := t.room(); err != nil {
		return fmt.Errorf("book: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seats[seat] = name // want `check-then-act: t.seats was checked`
	return nil
}

// BookOnce asks again.
func (t *theatre) BookOnce(seat int, name string) error {
	if err := t.room(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seats) >= t.size {
		return errors.New("full")
	}
	t.seats[seat] = name
	return nil
}

// open is a verdict of a verdict.
func (t *theatre) isOpen() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return errShut
	}
	return nil
}

func (t *theatre) open() error {
	if err := t.isOpen(); err != nil {
		return fmt.Errorf("theatre: %w", err)
	}
	return nil
}

func (t *theatre) Queue(name string) error {
	if err := t.open(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.names = append(t.names, name) // want `check-then-act: t.shut was checked`
	return nil
}

func (t *theatre) Shut() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shut = true
	names := t.names
	t.names = nil
	return names
}

// dim returns the error of an operation on what it has read.
func (t *theatre) dim() error {
	t.mu.Lock()
	lamp := t.lamp
	t.mu.Unlock()
	return lamp.Close()
}

func (t *theatre) Dim(other io.Closer) error {
	if err := t.dim(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lamp = other // an error of the lamp says nothing about which lamp it is
	return nil
}

// reserve looks and takes in one section: the error tells whether it has taken one.
func (t *theatre) reserve() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size == 0 {
		return errShut
	}
	t.size--
	return nil
}

func (t *theatre) Sell(seat int, name string) error {
	if err := t.reserve(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seats[seat] = name
	return nil
}

type crate struct {
	sync.Mutex
	n int
}

// A kiosk has a map that is nil when it is closed.
type kiosk struct {
	mu    sync.Mutex
	goods map[string]*crate
}

func (k *kiosk) find(name string) *crate {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.goods[name]
}

// put asks whether there is a map, and not for the element.
func (k *kiosk) put(name string, n *crate) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.goods == nil {
		return errShut
	}
	k.goods[name] = n
	return nil
}

func (k *kiosk) Get(name string) *crate {
	if n := k.find(name); n != nil {
		return n
	}
	n := new(crate)
	if k.put(name, n) != nil { // want `check-then-act: k.goods\[name\] was checked`
		return nil
	}
	return n
}

func (k *kiosk) GetInline(name string) *crate {
	if n := k.find(name); n != nil {
		return n
	}
	n := new(crate)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.goods == nil {
		return nil
	}
	k.goods[name] = n // want `check-then-act: k.goods\[name\] was \w+`
	return n
}

// putNew asks for both.
func (k *kiosk) putNew(name string, n *crate) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.goods == nil || k.goods[name] != nil {
		return errShut
	}
	k.goods[name] = n
	return nil
}

func (k *kiosk) GetNew(name string) *crate {
	if n := k.find(name); n != nil {
		return n
	}
	n := new(crate)
	if k.putNew(name, n) != nil {
		return k.find(name)
	}
	return n
}

func (k *kiosk) isShut() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.goods == nil
}

// Fill has asked for the map, which put asks for as well.
func (k *kiosk) Fill(name string, n *crate) {
	if !k.isShut() {
		k.put(name, n)
	}
}

func (k *kiosk) Shut() {
	k.mu.Lock()
	k.goods = nil
	k.mu.Unlock()
}
