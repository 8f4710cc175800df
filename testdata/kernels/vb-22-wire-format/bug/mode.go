package exporter

import "sync"

type Format uint8

const (
	CSV Format = iota
	JSONLines
	Plain
)

type settings struct {
	mu     sync.Mutex
	format Format
	gzip   bool
}

func (s *settings) Format() Format {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.format
}

func (s *settings) SetFormat(f Format) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.format = f
}
