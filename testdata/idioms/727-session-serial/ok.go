package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// ErrOffline is returned for a device without a session.
var ErrOffline = errors.New("gateway: device offline")

// Channel is the connection of a device.
type Channel interface {
	Push(ctx context.Context, msg []byte) error
	Ack() (msgID uint64, err error)
	Close() error
}

type session struct {
	serial uint64
	device string
	ch     Channel
}

// Gateway keeps a session for every connected device.
type Gateway struct {
	onAck func(device string, msgID uint64)

	mu       sync.RWMutex
	serial   uint64
	sessions map[uint64]*session
	byDevice map[string]uint64
}

// New returns a gateway without devices.
func New(onAck func(device string, msgID uint64)) *Gateway {
	return &Gateway{
		onAck:    onAck,
		sessions: make(map[uint64]*session),
		byDevice: make(map[string]uint64),
	}
}

// Connect starts a session for a device. It replaces an older one.
func (g *Gateway) Connect(device string, ch Channel) {
	g.mu.Lock()
	old := g.sessions[g.byDevice[device]]
	g.serial++
	s := &session{serial: g.serial, device: device, ch: ch}
	g.sessions[s.serial] = s
	g.byDevice[device] = s.serial
	g.mu.Unlock()
	if old != nil {
		g.drop(old, errors.New("replaced"))
	}
	go g.ackLoop(s)
}

func (g *Gateway) ackLoop(s *session) {
	for {
		id, err := s.ch.Ack()
		if err != nil {
			g.drop(s, err)
			return
		}
		g.onAck(s.device, id)
	}
}

func (g *Gateway) drop(s *session, reason error) {
	g.mu.Lock()
	_, live := g.sessions[s.serial]
	delete(g.sessions, s.serial)
	if g.byDevice[s.device] == s.serial {
		delete(g.byDevice, s.device)
	}
	g.mu.Unlock()
	if live {
		slog.Info("gateway: session ended", "device", s.device, "serial", s.serial, "reason", reason)
		_ = s.ch.Close()
	}
}

func (g *Gateway) find(device string) (*session, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	s, ok := g.sessions[g.byDevice[device]]
	if !ok {
		return nil, ErrOffline
	}
	return s, nil
}

// Push sends a message to a device.
func (g *Gateway) Push(ctx context.Context, device string, msg []byte) error {
	s, err := g.find(device)
	if err != nil {
		return err
	}
	if err := s.ch.Push(ctx, msg); err != nil {
		g.drop(s, err)
		return fmt.Errorf("gateway: push to %s: %w", device, err)
	}
	return nil
}

// Online returns the number of sessions.
func (g *Gateway) Online() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.sessions)
}

// Broadcast sends a message to all devices and returns how many got it.
func (g *Gateway) Broadcast(ctx context.Context, msg []byte) int {
	g.mu.RLock()
	all := make([]*session, 0, len(g.sessions))
	for _, s := range g.sessions {
		all = append(all, s)
	}
	g.mu.RUnlock()
	n := 0
	for _, s := range all {
		if err := s.ch.Push(ctx, msg); err != nil {
			g.drop(s, err)
			continue
		}
		n++
	}
	return n
}
