package indexsync

import (
	"context"
	"sync/atomic"
)

const batchSize = 500

// Device is the connection to a remote device.
type Device interface {
	SendIndex(ctx context.Context, files []FileInfo) error
}

// Sender announces the changes of a catalog to one device. A sender lives as
// long as the connection; after a reconnect a new one continues at the
// sequence number that the device acknowledges in its greeting.
type Sender struct {
	catalog *Catalog
	device  Device
	sent    atomic.Int64 // the device knows every change up to here
}

// NewSender returns a sender for a device that knows the changes up to and
// including the given sequence number.
func NewSender(c *Catalog, d Device, known int64) *Sender {
	s := &Sender{catalog: c, device: d}
	s.sent.Store(known)
	return s
}

// Sent returns the sequence number up to which the device is informed.
func (s *Sender) Sent() int64 { return s.sent.Load() }

// Run announces changes until the context or the connection ends. It is called
// once, on the connection's goroutine.
func (s *Sender) Run(ctx context.Context) error {
	changed := s.catalog.watch()
	defer s.catalog.unwatch(changed)
	for {
		if err := s.sendPending(ctx); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sendPending announces the changes that the device does not know yet.
func (s *Sender) sendPending(ctx context.Context) error {
	files := s.catalog.Since(s.sent.Load())
	for len(files) > 0 {
		n := min(len(files), batchSize)
		if err := s.device.SendIndex(ctx, files[:n]); err != nil {
			return err
		}
		files = files[n:]
	}
	s.sent.Store(s.catalog.Sequence())
	return nil
}
