package a

import (
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// ErrNoCode is returned for a code that is unknown or has run out.
var ErrNoCode = errors.New("pairing: no such code")

type pairing struct {
	device string
	serial uint64
	timer  *time.Timer
}

// Desk issues the short codes by which television sets are paired with
// accounts. A code runs out unless the set asks to keep it.
type Desk struct {
	life   time.Duration
	ranOut func(device string)

	mu     sync.Mutex
	serial uint64
	codes  map[string]*pairing
}

// NewDesk returns a desk; ranOut is called for the devices whose code ends.
func NewDesk(life time.Duration, ranOut func(device string)) *Desk {
	return &Desk{life: life, ranOut: ranOut, codes: make(map[string]*pairing)}
}

// arm starts the timer of p anew; the lock must be held.
func (d *Desk) arm(code string, p *pairing) {
	if p.timer != nil {
		p.timer.Stop()
	}
	d.serial++
	serial := d.serial
	p.serial = serial
	p.timer = time.AfterFunc(d.life, func() { d.expire(code, serial) })
}

// Issue returns a new code for the device.
func (d *Desk) Issue(device string) string {
	code := rand.Text()[:8]
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.codes[code] != nil {
		code = rand.Text()[:8]
	}
	p := &pairing{device: device}
	d.codes[code] = p
	d.arm(code, p)
	return code
}

// Keep lets the code live for another term.
func (d *Desk) Keep(code string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.codes[code]
	if !ok {
		return ErrNoCode
	}
	d.arm(code, p)
	return nil
}

// Redeem uses the code up and returns its device.
func (d *Desk) Redeem(code string) (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.codes[code]
	if !ok {
		return "", ErrNoCode
	}
	p.timer.Stop()
	delete(d.codes, code)
	return p.device, nil
}

// expire ends the term with the given serial number.
func (d *Desk) expire(code string, serial uint64) {
	d.mu.Lock()
	p, ok := d.codes[code]
	if !ok || p.serial != serial {
		d.mu.Unlock()
		return
	}
	delete(d.codes, code)
	d.mu.Unlock()
	d.ranOut(p.device)
}
