package vmapp

import (
	"log"
	"sync"
)

// Storage is the storage of the app. It must be opened by InitStorage before it is used
// and mustn't be used after StopStorage.
var Storage *storage

// Metrics contains the metrics of the storage.
type Metrics struct {
	Parts int
	Rows  int
}

type storage struct {
	mu    sync.Mutex
	parts []*part
}

type part struct {
	rows int
}

// InitStorage opens the storage.
func InitStorage() {
	Storage = &storage{}
}

// StopStorage flushes the storage and releases its resources.
func StopStorage() {
	Storage.mustClose()
	log.Printf("the storage has been stopped")
}

// AddRows adds rows to the storage.
func (s *storage) AddRows(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts = append(s.parts, &part{rows: n})
}

// UpdateMetrics returns the metrics of s. It mustn't be called after the storage is closed.
func (s *storage) UpdateMetrics() Metrics {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := Metrics{Parts: len(s.parts)}
	for _, p := range s.parts {
		if p == nil {
			log.Panicf("BUG: UpdateMetrics called for the closed storage")
		}
		m.Rows += p.rows
	}
	return m
}

func (s *storage) mustClose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.parts {
		s.parts[i] = nil
	}
}

// Run runs the app until stopCh is closed.
func Run(serve func(*storage), stopServing func() error, stopCh <-chan struct{}) {
	log.Printf("starting the app")
	InitStorage()
	go serve(Storage)

	InitPushMetrics()
	<-stopCh
	StopPushMetrics()

	log.Printf("gracefully shutting down webservice")
	if err := stopServing(); err != nil {
		log.Fatalf("cannot stop the webservice: %s", err)
	}
	StopStorage()
	log.Printf("the app has been stopped")
}
