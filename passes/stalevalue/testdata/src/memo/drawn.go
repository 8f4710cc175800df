package memo

import (
	crand "crypto/rand"
	"encoding/hex"
	"io"
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
	t.given.Store(user, arm) // want `check-then-act: t\.given\[user\] was checked at line 22`
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
	d.tokens[name] = t // want `check-then-act: d\.tokens\[name\] was checked at line 57`
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

func newToken() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(crand.Reader, b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]), nil
}

// TokenOrError does the same with a token that may fail.
func (d *Desk) TokenOrError(name string) (string, error) {
	if t, ok := d.find(name); ok {
		return t, nil
	}
	t, err := newToken()
	if err != nil {
		return "", err
	}
	d.mu.Lock()
	d.tokens[name] = t // want `check-then-act: d\.tokens\[name\] was checked at line \d+`
	d.mu.Unlock()
	return t, nil
}

// A Grid has numbers that follow from their seeds.
type Grid struct {
	mu    sync.Mutex
	cells map[uint64]int
	names map[string]string
}

func (g *Grid) find(seed uint64) (int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, ok := g.cells[seed]
	return n, ok
}

// Cell has the same number for each who asks.
func (g *Grid) Cell(seed uint64) int {
	if n, ok := g.find(seed); ok {
		return n
	}
	n := rand.New(rand.NewPCG(seed, 1)).IntN(100)
	g.mu.Lock()
	g.cells[seed] = n
	g.mu.Unlock()
	return n
}

type oracle interface {
	Ask(request, key string) string
}

func (g *Grid) name(key string) (string, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.names[key]
	return s, ok
}

// Name asks by a request that has a number of its own, which is no part of the answer.
func (g *Grid) Name(o oracle, key string) string {
	if s, ok := g.name(key); ok {
		return s
	}
	s := o.Ask(crand.Text(), key)
	g.mu.Lock()
	g.names[key] = s
	g.mu.Unlock()
	return s
}
