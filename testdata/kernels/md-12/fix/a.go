package a

import (
	"context"
	"maps"
	"slices"
	"sync"
)

type Event struct{ Reason, Message string }

type watchEvent struct {
	Type   string
	Object any
}

type Broadcaster struct {
	watchersLock sync.Mutex
	watchers     map[int64]*broadcasterWatcher
	nextWatcher  int64
	queue        []watchEvent
	cond         *sync.Cond
	stopped      bool
	distributing sync.WaitGroup
}

type broadcasterWatcher struct {
	result  chan watchEvent
	stopped chan struct{}
	stop    sync.Once
	id      int64
	m       *Broadcaster
}

func NewBroadcaster() *Broadcaster {
	m := &Broadcaster{watchers: make(map[int64]*broadcasterWatcher)}
	m.cond = sync.NewCond(&m.watchersLock)
	m.distributing.Add(1)
	go m.loop()
	return m
}

func (m *Broadcaster) Watch() *broadcasterWatcher {
	m.watchersLock.Lock()
	defer m.watchersLock.Unlock()
	w := &broadcasterWatcher{
		result:  make(chan watchEvent, 25),
		stopped: make(chan struct{}),
		id:      m.nextWatcher,
		m:       m,
	}
	m.nextWatcher++
	if m.watchers == nil {
		close(w.result)
		return w
	}
	m.watchers[w.id] = w
	return w
}

func (m *Broadcaster) Action(obj any) bool {
	m.watchersLock.Lock()
	defer m.watchersLock.Unlock()
	if m.stopped {
		return false
	}
	m.queue = append(m.queue, watchEvent{"ADDED", obj})
	m.cond.Signal()
	return true
}

func (m *Broadcaster) Shutdown() {
	m.watchersLock.Lock()
	m.stopped = true
	m.cond.Signal()
	m.watchersLock.Unlock()
	m.distributing.Wait()
}

func (m *Broadcaster) loop() {
	defer m.distributing.Done()
	for {
		m.watchersLock.Lock()
		for len(m.queue) == 0 && !m.stopped {
			m.cond.Wait()
		}
		if len(m.queue) == 0 {
			for _, w := range m.watchers {
				close(w.result)
			}
			m.watchers = nil
			m.watchersLock.Unlock()
			return
		}
		e := m.queue[0]
		m.queue = m.queue[1:]
		ws := slices.Collect(maps.Values(m.watchers))
		m.watchersLock.Unlock()
		for _, w := range ws {
			select {
			case w.result <- e:
			case <-w.stopped:
			}
		}
	}
}

func (w *broadcasterWatcher) ResultChan() <-chan watchEvent { return w.result }

func (w *broadcasterWatcher) Stop() {
	w.stop.Do(func() {
		close(w.stopped)
		w.m.watchersLock.Lock()
		delete(w.m.watchers, w.id)
		w.m.watchersLock.Unlock()
	})
}

type eventBroadcasterImpl struct {
	*Broadcaster
	cancelationCtx context.Context
	cancel         context.CancelFunc
}

func NewEventBroadcaster() *eventBroadcasterImpl {
	ctx, cancel := context.WithCancel(context.Background())
	return &eventBroadcasterImpl{NewBroadcaster(), ctx, cancel}
}

func (e *eventBroadcasterImpl) Shutdown() {
	e.Broadcaster.Shutdown()
	e.cancel()
}

// StartEventWatcher starts sending events received from this broadcaster to the handler.
func (e *eventBroadcasterImpl) StartEventWatcher(eventHandler func(*Event)) *broadcasterWatcher {
	watcher := e.Watch()
	go func() {
		for {
			select {
			case <-e.cancelationCtx.Done():
				watcher.Stop()
				return
			case watchEvent, ok := <-watcher.ResultChan():
				if !ok {
					return
				}
				event, ok := watchEvent.Object.(*Event)
				if !ok {
					continue
				}
				eventHandler(event)
			}
		}
	}()
	return watcher
}
