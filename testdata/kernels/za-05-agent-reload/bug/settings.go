package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"
)

// Target says where telemetry goes and how the agent proves who it is there.
type Target struct {
	Endpoint string
	Token    string
}

// Settings are the parts of the configuration that can change while the
// agent runs. Safe for concurrent use.
type Settings struct {
	mu       sync.RWMutex
	endpoint string
	token    string
	interval time.Duration
}

// NewSettings returns settings for the target with the default interval.
func NewSettings(t Target) *Settings {
	return &Settings{endpoint: t.Endpoint, token: t.Token, interval: 10 * time.Second}
}

// SetEndpoint changes the collector address.
func (s *Settings) SetEndpoint(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endpoint = url
}

// SetToken changes the bearer token, e.g. when it was rotated.
func (s *Settings) SetToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// SetInterval changes how often batches are shipped.
func (s *Settings) SetInterval(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interval = d
}

// Target returns the collector and the token that belongs to it.
func (s *Settings) Target() Target {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return Target{Endpoint: s.endpoint, Token: s.token}
}

// Interval returns how often batches are shipped.
func (s *Settings) Interval() time.Duration {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.interval
}

// file is the configuration on disk.
type file struct {
	Endpoint string `json:"endpoint"`
	Token    string `json:"token"`
	Interval int    `json:"interval_seconds"`
}

func readFile(path string) (file, error) {
	var f file
	raw, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, fmt.Errorf("agent: parse %s: %w", path, err)
	}
	if f.Endpoint == "" || f.Token == "" {
		return f, fmt.Errorf("agent: %s: endpoint and token are required", path)
	}
	return f, nil
}

// reload reads the configuration at path and applies it. It is called by the
// goroutine that waits for SIGHUP. A file that cannot be used leaves the
// settings as they are.
func (s *Settings) reload(path string) error {
	f, err := readFile(path)
	if err != nil {
		return err
	}
	s.SetEndpoint(f.Endpoint)
	s.SetToken(f.Token)
	if f.Interval > 0 {
		s.SetInterval(time.Duration(f.Interval) * time.Second)
	}
	return nil
}
