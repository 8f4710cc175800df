// Package modem controls the satellite modems of remote weather stations.
package modem

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Phase of a modem.
type Phase int

const (
	Idle Phase = iota
	Dialing
	Online
)

func (p Phase) String() string { return [...]string{"idle", "dialing", "online"}[p] }

// Errors of a modem.
var (
	ErrBusy    = errors.New("modem: busy")
	ErrOffline = errors.New("modem: not online")
)

// Carrier is an established link.
type Carrier interface {
	// Lost is closed when the link is gone for whatever reason.
	Lost() <-chan struct{}
	Hangup() error
}

// Hardware dials.
type Hardware interface {
	Dial(ctx context.Context, number string) (Carrier, error)
}

// Modem is a device.
type Modem struct {
	hw  Hardware
	log *slog.Logger

	mu      sync.Mutex
	phase   Phase
	carrier Carrier
	number  string
	since   time.Time
	online  time.Duration
}

// New returns an idle modem.
func New(hw Hardware, log *slog.Logger) *Modem { return &Modem{hw: hw, log: log} }

func (m *Modem) begin(number string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.phase != Idle {
		return fmt.Errorf("%w: %v %s", ErrBusy, m.phase, m.number)
	}
	m.phase, m.number = Dialing, number
	return nil
}

func (m *Modem) set(p Phase, c Carrier) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.phase == Online {
		m.online += time.Since(m.since)
	}
	m.phase, m.carrier, m.since = p, c, time.Now()
}

// Connect dials a number and returns when the link is up.
func (m *Modem) Connect(ctx context.Context, number string) error {
	if err := m.begin(number); err != nil {
		return err
	}
	c, err := m.hw.Dial(ctx, number)
	if err != nil {
		m.set(Idle, nil)
		return fmt.Errorf("dial %s: %w", number, err)
	}
	m.set(Online, c)
	go func() {
		<-c.Lost()
		m.set(Idle, nil)
		m.log.Info("carrier lost", "number", number)
	}()
	return nil
}

// Disconnect hangs up; the modem is idle once the link is gone.
func (m *Modem) Disconnect() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.phase != Online {
		return ErrOffline
	}
	return m.carrier.Hangup()
}

// Status returns the phase and the time spent online so far.
func (m *Modem) Status() (Phase, time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	total := m.online
	if m.phase == Online {
		total += time.Since(m.since)
	}
	return m.phase, total
}
