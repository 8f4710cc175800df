package a

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

var ErrUnregistered = errors.New("push: token no longer registered")

type Message struct {
	Title string
	Body  string
}

type Gateway interface {
	Push(ctx context.Context, token string, m Message) error
}

type target struct {
	user   string
	device string
	token  string
}

// Directory maps a user's devices to their current push token.
type Directory struct {
	mu      sync.RWMutex
	devices map[string]map[string]string
}

func NewDirectory() *Directory {
	return &Directory{devices: make(map[string]map[string]string)}
}

// Register is called by the app on every launch and on token refresh.
func (d *Directory) Register(user, device, token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := d.devices[user]
	if m == nil {
		m = make(map[string]string)
		d.devices[user] = m
	}
	m[device] = token
}

func (d *Directory) Remove(user, device string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.devices[user], device)
	if len(d.devices[user]) == 0 {
		delete(d.devices, user)
	}
}

func (d *Directory) targets(users []string) []target {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var out []target
	for _, u := range users {
		for dev, tok := range d.devices[u] {
			out = append(out, target{user: u, device: dev, token: tok})
		}
	}
	return out
}

type Fanout struct {
	dir     *Directory
	gw      Gateway
	workers int
	log     *slog.Logger
}

func NewFanout(dir *Directory, gw Gateway, workers int, log *slog.Logger) *Fanout {
	return &Fanout{dir: dir, gw: gw, workers: max(1, workers), log: log}
}

// Broadcast delivers m to all devices of the users.
func (f *Fanout) Broadcast(ctx context.Context, users []string, m Message) {
	work := make(chan target)
	var wg sync.WaitGroup
	for range f.workers {
		wg.Go(func() {
			for t := range work {
				f.deliver(ctx, t, m)
			}
		})
	}
feed:
	for _, t := range f.dir.targets(users) {
		select {
		case work <- t:
		case <-ctx.Done():
			break feed
		}
	}
	close(work)
	wg.Wait()
}

func (f *Fanout) deliver(ctx context.Context, t target, m Message) {
	err := f.gw.Push(ctx, t.token, m)
	switch {
	case err == nil:
	case errors.Is(err, ErrUnregistered):
		f.log.Info("dropping device", "user", t.user, "device", t.device)
		f.dir.Remove(t.user, t.device)
	default:
		f.log.Warn("push failed", "user", t.user, "err", err)
	}
}
