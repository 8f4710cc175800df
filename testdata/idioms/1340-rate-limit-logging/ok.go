package server

import (
	"fmt"
	"sync"
	"time"
)

// Server logs some warnings once per interval only.
type Server struct {
	// rateLimitLogging maps a statement to the time when it was logged. An
	// entry is not changed; after the interval the cleaner deletes it.
	rateLimitLogging   sync.Map
	rateLimitLoggingCh chan time.Duration

	quitCh chan struct{}
	logger func(string)
	grWG   sync.WaitGroup
}

// New returns a running server.
func New(interval time.Duration, logger func(string)) *Server {
	s := &Server{
		rateLimitLoggingCh: make(chan time.Duration, 1),
		quitCh:             make(chan struct{}),
		logger:             logger,
	}
	s.startRateLimitLogExpiration(interval)
	return s
}

// startRateLimitLogExpiration starts the cleaner, the only one that deletes.
func (s *Server) startRateLimitLogExpiration(interval time.Duration) {
	s.grWG.Add(1)
	go func() {
		defer s.grWG.Done()

		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-s.quitCh:
				return
			case interval = <-s.rateLimitLoggingCh:
				ticker.Reset(interval)
			case <-ticker.C:
				s.rateLimitLogging.Range(func(k, v any) bool {
					start := v.(time.Time)
					if time.Since(start) >= interval {
						s.rateLimitLogging.Delete(k)
					}
					return true
				})
			}
		}
	}()
}

// changeRateLimitLogInterval is called on a reload of the configuration.
func (s *Server) changeRateLimitLogInterval(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case s.rateLimitLoggingCh <- d:
	default:
	}
}

// RateLimitWarnf logs the statement unless it was logged in this interval.
func (s *Server) RateLimitWarnf(format string, v ...any) {
	statement := fmt.Sprintf(format, v...)
	if _, loaded := s.rateLimitLogging.LoadOrStore(statement, time.Now()); loaded {
		return
	}
	s.logger("[WRN] " + statement)
}

// readLoop is the reader of a connection.
func (s *Server) readLoop(name string, in <-chan []byte, maxPayload int) {
	for msg := range in {
		if len(msg) > maxPayload {
			s.RateLimitWarnf("maximum payload exceeded by %s: %d", name, len(msg))
		}
	}
}

// Shutdown ends the cleaner.
func (s *Server) Shutdown() {
	close(s.quitCh)
	s.grWG.Wait()
}
