package tiered

import (
	"fmt"
	"log"
	"sync"
	"time"
)

// Persistence is the storage on disk. Its methods can be called concurrently.
type Persistence interface {
	AppendSamples(Samples) error
	ValuesOf(fp Fingerprint, from, through Timestamp) (Values, error)
	Close()
}

type tieredStorageState uint

const (
	tieredStorageStarting tieredStorageState = iota
	tieredStorageServing
	tieredStorageDraining
	tieredStorageStopping
)

// TieredStorage both persists samples and generates materialized views for
// queries.
type TieredStorage struct {
	// mu is purely used for state transitions.
	mu sync.RWMutex

	DiskStorage Persistence

	appendToDiskQueue chan Samples

	memoryArena         *memorySeriesStorage
	memoryTTL           time.Duration
	flushMemoryInterval time.Duration

	draining chan chan<- bool

	state tieredStorageState

	flushSema chan bool
}

// NewTieredStorage returns a TieredStorage object ready to use.
func NewTieredStorage(disk Persistence, queueDepth int, flushMemoryInterval, memoryTTL time.Duration) *TieredStorage {
	return &TieredStorage{
		appendToDiskQueue:   make(chan Samples, queueDepth),
		DiskStorage:         disk,
		draining:            make(chan chan<- bool),
		flushMemoryInterval: flushMemoryInterval,
		memoryArena:         NewMemorySeriesStorage(now),
		memoryTTL:           memoryTTL,
		flushSema:           make(chan bool, 1),
	}
}

func now() Timestamp {
	return Timestamp(time.Now().UnixMilli())
}

// AppendValue adds a value to a series.
func (t *TieredStorage) AppendValue(fp Fingerprint, value float64) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.state != tieredStorageServing {
		return fmt.Errorf("storage is not serving")
	}

	t.memoryArena.AppendValue(fp, value)
	return nil
}

// Serve starts serving requests.
func (t *TieredStorage) Serve(started chan<- bool) {
	t.mu.Lock()
	if t.state != tieredStorageStarting {
		panic("Illegal State: Attempted to restart TieredStorage.")
	}

	t.state = tieredStorageServing
	t.mu.Unlock()

	flushMemoryTicker := time.NewTicker(t.flushMemoryInterval)
	defer flushMemoryTicker.Stop()

	started <- true
	for {
		select {
		case <-flushMemoryTicker.C:
			select {
			case t.flushSema <- true:
				go func() {
					t.flushMemory(t.memoryTTL)
					<-t.flushSema
				}()
			default:
				log.Print("Backlogging on flush...")
			}
		case drainingDone := <-t.draining:
			t.Flush()
			drainingDone <- true

			return
		}
	}
}

// Flush flushes all samples to disk.
func (t *TieredStorage) Flush() {
	t.flushSema <- true
	t.flushMemory(0)
	<-t.flushSema
}

func (t *TieredStorage) flushMemory(ttl time.Duration) {
	flushOlderThan := now() - Timestamp(ttl/time.Millisecond)

	log.Print("Flushing samples to disk...")
	t.memoryArena.Flush(flushOlderThan, t.appendToDiskQueue)

	queueLength := len(t.appendToDiskQueue)
	if queueLength > 0 {
		samples := Samples{}
		for i := 0; i < queueLength; i++ {
			chunk := <-t.appendToDiskQueue
			samples = append(samples, chunk...)
		}

		log.Printf("Writing %d samples...", len(samples))
		t.DiskStorage.AppendSamples(samples)
	}
	t.memoryArena.Evict(flushOlderThan)

	log.Print("Done flushing.")
}

// View returns the values of a series in a range of time.
func (t *TieredStorage) View(fp Fingerprint, from, through Timestamp) (Values, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.state != tieredStorageServing {
		return nil, fmt.Errorf("storage is not serving")
	}

	memValues := t.memoryArena.CloneSamples(fp)
	memFrom := through + 1
	if len(memValues) > 0 {
		memFrom = memValues[0].Timestamp
	}

	var view Values
	if from < memFrom {
		values, err := t.DiskStorage.ValuesOf(fp, from, memFrom-1)
		if err != nil {
			return nil, err
		}
		view = append(view, values...)
	}
	for _, v := range memValues {
		if v.Timestamp >= from && v.Timestamp <= through {
			view = append(view, v)
		}
	}
	return view, nil
}

// Close stops serving, flushes all pending operations, and frees all resources.
func (t *TieredStorage) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.state >= tieredStorageDraining {
		panic("Illegal State: Supplemental drain requested.")
	}
	t.state = tieredStorageDraining

	drained := make(chan bool)
	t.draining <- drained
	<-drained

	t.DiskStorage.Close()
	close(t.appendToDiskQueue)
	t.state = tieredStorageStopping
}
