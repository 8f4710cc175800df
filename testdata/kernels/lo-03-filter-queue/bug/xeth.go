package xeth

import (
	"sync"
	"time"
)

// Log is one log of a contract.
type Log struct {
	Address string
	Data    []byte
}

// Filter is called for the logs of every new block.
type Filter struct {
	LogsCallback func(id int, logs []Log)
}

// FilterManager hands the events of the chain to the installed filters.
type FilterManager struct {
	events chan []Log

	filterMu sync.RWMutex
	filterId int
	filters  map[int]*Filter

	quit chan struct{}
}

// NewFilterManager returns a manager fed by events.
func NewFilterManager(events chan []Log) *FilterManager {
	return &FilterManager{
		events:  events,
		filters: make(map[int]*Filter),
		quit:    make(chan struct{}),
	}
}

// Start runs the event loop.
func (self *FilterManager) Start() {
	go self.filterLoop()
}

// Stop ends the event loop.
func (self *FilterManager) Stop() {
	close(self.quit)
}

// InstallFilter registers the filter; it is called from the next event on.
func (self *FilterManager) InstallFilter(filter *Filter) (id int) {
	self.filterMu.Lock()
	defer self.filterMu.Unlock()
	id = self.filterId
	self.filters[id] = filter
	self.filterId++

	return id
}

// UninstallFilter removes the filter.
func (self *FilterManager) UninstallFilter(id int) {
	self.filterMu.Lock()
	defer self.filterMu.Unlock()
	delete(self.filters, id)
}

// installed returns the filters of the moment.
func (self *FilterManager) installed() map[int]*Filter {
	self.filterMu.RLock()
	defer self.filterMu.RUnlock()
	m := make(map[int]*Filter, len(self.filters))
	for id, f := range self.filters {
		m[id] = f
	}
	return m
}

func (self *FilterManager) filterLoop() {
	for {
		select {
		case <-self.quit:
			return
		case logs := <-self.events:
			for id, filter := range self.installed() {
				filter.LogsCallback(id, logs)
			}
		}
	}
}

type logQueue struct {
	logs    []Log
	timeout time.Time
}

func (l *logQueue) add(logs ...Log) {
	l.logs = append(l.logs, logs...)
}

func (l *logQueue) get() []Log {
	l.timeout = time.Now()
	tmp := l.logs
	l.logs = nil
	return tmp
}

// XEth serves the filters of the RPC clients.
type XEth struct {
	filterManager *FilterManager

	logMu    sync.Mutex
	logQueue map[int]*logQueue
}

// New returns an XEth whose event loop is running.
func New(events chan []Log) *XEth {
	xeth := &XEth{
		filterManager: NewFilterManager(events),
		logQueue:      make(map[int]*logQueue),
	}
	xeth.filterManager.Start()
	return xeth
}

// NewLogFilter is called for eth_newFilter. The client asks for the changes
// of the filter from now on.
func (self *XEth) NewLogFilter() int {
	filter := &Filter{
		LogsCallback: func(id int, logs []Log) {
			self.logMu.Lock()
			defer self.logMu.Unlock()

			if queue := self.logQueue[id]; queue != nil {
				queue.add(logs...)
			}
		},
	}
	id := self.filterManager.InstallFilter(filter)

	self.logMu.Lock()
	self.logQueue[id] = &logQueue{timeout: time.Now()}
	self.logMu.Unlock()

	return id
}

// UninstallFilter is called for eth_uninstallFilter.
func (self *XEth) UninstallFilter(id int) bool {
	defer self.filterManager.UninstallFilter(id)

	self.logMu.Lock()
	defer self.logMu.Unlock()
	if _, ok := self.logQueue[id]; ok {
		delete(self.logQueue, id)
		return true
	}
	return false
}

// LogFilterChanged is called for eth_getFilterChanges.
func (self *XEth) LogFilterChanged(id int) []Log {
	self.logMu.Lock()
	defer self.logMu.Unlock()

	if self.logQueue[id] != nil {
		return self.logQueue[id].get()
	}
	return nil
}

// Stop ends the event loop.
func (self *XEth) Stop() {
	self.filterManager.Stop()
}
