package main

import (
	"encoding/json"
	"os"
	"sync"
	"time"
)

// Sample is a value of a metric at a point in time.
type Sample struct {
	Metric    string
	Value     float64
	Timestamp time.Time
}

// Result is the outcome of one scrape or rule evaluation.
type Result struct {
	Err     error
	Samples []Sample
}

type NotificationReqs []string

// memorySeriesStorage keeps the series in memory, the rest is on disk.
type memorySeriesStorage struct {
	mtx    sync.RWMutex
	path   string
	series map[string][]Sample
}

func NewMemorySeriesStorage(path string) *memorySeriesStorage {
	return &memorySeriesStorage{path: path, series: make(map[string][]Sample)}
}

// AppendSamples implements Storage.
func (s *memorySeriesStorage) AppendSamples(samples []Sample) {
	s.mtx.Lock()
	defer s.mtx.Unlock()
	for _, sample := range samples {
		s.series[sample.Metric] = append(s.series[sample.Metric], sample)
	}
}

// NumSeries returns how many series are in memory.
func (s *memorySeriesStorage) NumSeries() int {
	s.mtx.RLock()
	defer s.mtx.RUnlock()
	return len(s.series)
}

// Close persists the heads of all series.
func (s *memorySeriesStorage) Close() error {
	s.mtx.Lock()
	defer s.mtx.Unlock()
	buf, err := json.Marshal(s.series)
	if err != nil {
		return err
	}
	s.series = make(map[string][]Sample)
	return os.WriteFile(s.path, buf, 0o640)
}

// TSDBQueueManager sends samples to long-term storage.
type TSDBQueueManager struct {
	queue   chan []Sample
	drained chan struct{}
}

func NewTSDBQueueManager(capacity int) *TSDBQueueManager {
	return &TSDBQueueManager{queue: make(chan []Sample, capacity), drained: make(chan struct{})}
}

func (t *TSDBQueueManager) Queue(s []Sample) { t.queue <- s }

func (t *TSDBQueueManager) Run() {
	defer close(t.drained)
	for range t.queue {
	}
}

// Close waits until all queued samples were sent.
func (t *TSDBQueueManager) Close() {
	close(t.queue)
	<-t.drained
}

// TargetManager scrapes the targets.
type TargetManager struct {
	results  chan<- *Result
	interval time.Duration
	stop     chan struct{}
	wg       sync.WaitGroup
}

func NewTargetManager(results chan<- *Result, interval time.Duration) *TargetManager {
	return &TargetManager{results: results, interval: interval, stop: make(chan struct{})}
}

func (m *TargetManager) Run(targets []string) {
	for _, t := range targets {
		m.wg.Add(1)
		go m.scrapeLoop(t)
	}
}

func (m *TargetManager) scrapeLoop(target string) {
	defer m.wg.Done()
	tick := time.NewTicker(m.interval)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case now := <-tick.C:
			m.results <- &Result{Samples: []Sample{{"up{" + target + "}", 1, now}}}
		}
	}
}

// Stop returns when all scrapes have ended.
func (m *TargetManager) Stop() {
	close(m.stop)
	m.wg.Wait()
}

// RuleManager evaluates the rules.
type RuleManager struct {
	results       chan<- *Result
	notifications chan<- NotificationReqs
	interval      time.Duration
	stop, done    chan struct{}
}

func NewRuleManager(results chan<- *Result, n chan<- NotificationReqs, interval time.Duration) *RuleManager {
	return &RuleManager{results: results, notifications: n, interval: interval, stop: make(chan struct{}), done: make(chan struct{})}
}

func (m *RuleManager) Run() {
	go func() {
		defer close(m.done)
		tick := time.NewTicker(m.interval)
		defer tick.Stop()
		for {
			select {
			case <-m.stop:
				return
			case now := <-tick.C:
				m.results <- &Result{Samples: []Sample{{"ALERTS", 0, now}}}
				m.notifications <- NotificationReqs{"evaluated"}
			}
		}
	}()
}

// Stop returns when the last evaluation has ended.
func (m *RuleManager) Stop() {
	close(m.stop)
	<-m.done
}
