package memo

import (
	crand "crypto/rand"
	"encoding/hex"
	"math/rand/v2"
	"sync"
	"time"
)

// A Trial gives each user an arm by chance, which the user is to keep.
type Trial struct {
	arms  []string
	given sync.Map
}

func (t *Trial) draw() string { return t.arms[rand.IntN(len(t.arms))] }

// Arm gives two answers to a user who asks twice at once.
func (t *Trial) Arm(user string) string {
	if arm, ok := t.given.Load(user); ok {
		return arm.(string)
	}
	arm := t.draw()
	t.given.Store(user, arm) // want `check-then-act: t\.given\[user\] was checked at line 21`
	return arm
}

// Keep takes the arm that is there by then.
func (t *Trial) Keep(user string) string {
	arm, _ := t.given.LoadOrStore(user, t.draw())
	return arm.(string)
}

// Desk has a token for each name.
type Desk struct {
	mu     sync.Mutex
	tokens map[string]string
}

func token() string {
	b := make([]byte, 16)
	crand.Read(b)
	return hex.EncodeToString(b)
}

func (d *Desk) find(name string) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.tokens[name]
	return t, ok
}

// Token gives out a token that another one may replace.
func (d *Desk) Token(name string) string {
	if t, ok := d.find(name); ok {
		return t
	}
	t := token()
	d.mu.Lock()
	d.tokens[name] = t // want `check-then-act: d\.tokens\[name\] was checked at line 56`
	d.mu.Unlock()
	return t
}

// Trace has texts that take some time to make.
type Trace struct {
	mu    sync.Mutex
	texts map[string]string
}

func (t *Trace) find(name string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.texts[name]
	return s, ok
}

func pause() time.Duration { return rand.N(time.Second) }

// Text waits for some time, which is no part of the text.
func (t *Trace) Text(name string, from source) (string, error) {
	if s, ok := t.find(name); ok {
		return s, nil
	}
	time.Sleep(pause())
	s, err := from.Text(name)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	t.texts[name] = s
	t.mu.Unlock()
	return s, nil
}
