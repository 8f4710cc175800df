// Package agent collects points on a host and ships them to the collector of
// the tenant.
package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Point is one measurement.
type Point struct {
	Name  string    `json:"name"`
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}

// Shipper sends the points it receives in batches.
type Shipper struct {
	settings *Settings
	client   *http.Client
	in       <-chan Point
}

// NewShipper returns a shipper that reads points from in.
func NewShipper(s *Settings, in <-chan Point) *Shipper {
	return &Shipper{settings: s, client: &http.Client{Timeout: 15 * time.Second}, in: in}
}

// post sends one batch. A collector that rejects the token is a permanent
// failure: the batch is given up.
func (s *Shipper) post(ctx context.Context, batch []Point) error {
	t := s.settings.Target()
	body, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+t.Token)
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("agent: collector answered %s", resp.Status)
	}
	return nil
}

// Run ships until ctx ends.
func (s *Shipper) Run(ctx context.Context) {
	var batch []Point
	timer := time.NewTimer(s.settings.Interval())
	defer timer.Stop()
	for {
		select {
		case p := <-s.in:
			batch = append(batch, p)
		case <-timer.C:
			if len(batch) > 0 {
				if err := s.post(ctx, batch); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
				batch = nil
			}
			timer.Reset(s.settings.Interval())
		case <-ctx.Done():
			return
		}
	}
}

// Start, which is called once, runs the shipper and reloads the settings from path on SIGHUP.
func Start(ctx context.Context, s *Shipper, path string) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go s.Run(ctx)
	go func() {
		defer signal.Stop(hup)
		for {
			select {
			case <-hup:
				if err := s.settings.reload(path); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
}
