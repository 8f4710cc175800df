package record

import (
	"fmt"
	"log"
	"sync"
	"time"
)

const (
	maxQueuedEvents      = 1000
	incomingQueueLength  = 1000
	maxTriesPerEvent     = 12
	defaultSleepDuration = 10 * time.Second
)

// Event is what is told of an object.
type Event struct {
	Name      string
	Object    string
	Type      string
	Reason    string
	Message   string
	Source    string
	Timestamp time.Time
}

// Broadcaster distributes event notifications among any number of watchers. Every event
// is delivered to every watcher.
type Broadcaster struct {
	watchers     map[int64]*broadcasterWatcher
	nextWatcher  int64
	distributing sync.WaitGroup
	watchMu      sync.Mutex

	incoming         chan Event
	watchQueueLength int
}

func newBroadcaster(queueLength, incomingLength int) *Broadcaster {
	m := &Broadcaster{
		watchers:         map[int64]*broadcasterWatcher{},
		incoming:         make(chan Event, incomingLength),
		watchQueueLength: queueLength,
	}
	m.distributing.Add(1)
	go m.loop()
	return m
}

// Watch adds a new watcher to the list and returns it.
func (m *Broadcaster) Watch() *broadcasterWatcher {
	m.watchMu.Lock()
	defer m.watchMu.Unlock()
	m.nextWatcher++
	w := &broadcasterWatcher{result: make(chan Event, m.watchQueueLength), id: m.nextWatcher}
	m.watchers[w.id] = w
	return w
}

// Action distributes the given event among all watchers.
func (m *Broadcaster) Action(event Event) {
	m.incoming <- event
}

// ActionOrDrop distributes the given event among all watchers, or drops it on the floor
// if too many incoming actions are queued up. Returns true if the action was sent,
// false if dropped.
func (m *Broadcaster) ActionOrDrop(event Event) bool {
	select {
	case m.incoming <- event:
		return true
	default:
		return false
	}
}

// Shutdown disconnects all watchers (but any queued events will still be distributed).
// You must not call Action or Watch* after calling Shutdown. This call blocks until all
// events have been distributed through the outbound channels.
func (m *Broadcaster) Shutdown() {
	close(m.incoming)
	m.distributing.Wait()
}

// loop receives from m.incoming and distributes to all watchers.
func (m *Broadcaster) loop() {
	// Deliberately not catching crashes here. Yes, bring down the process if there's a
	// bug in watch.Broadcaster.
	for event := range m.incoming {
		m.distribute(event)
	}
	m.closeAll()
	m.distributing.Done()
}

func (m *Broadcaster) distribute(event Event) {
	m.watchMu.Lock()
	defer m.watchMu.Unlock()
	for _, w := range m.watchers {
		select {
		case w.result <- event:
		default: // Don't block if the event can't be queued.
		}
	}
}

func (m *Broadcaster) closeAll() {
	m.watchMu.Lock()
	defer m.watchMu.Unlock()
	for id, w := range m.watchers {
		delete(m.watchers, id)
		close(w.result)
	}
}

type broadcasterWatcher struct {
	result chan Event
	id     int64
}

func (w *broadcasterWatcher) ResultChan() <-chan Event { return w.result }

// EventSink knows how to store events.
type EventSink interface {
	Create(event Event) error
}

// EventBroadcaster knows how to receive events and send them to any EventSink, watcher, or log.
type EventBroadcaster struct {
	*Broadcaster
	sleepDuration time.Duration
}

// NewBroadcaster creates a new event broadcaster.
func NewBroadcaster() *EventBroadcaster {
	return &EventBroadcaster{
		Broadcaster:   newBroadcaster(maxQueuedEvents, incomingQueueLength),
		sleepDuration: defaultSleepDuration,
	}
}

// StartRecordingToSink starts sending events received from the specified eventBroadcaster to the given sink.
func (e *EventBroadcaster) StartRecordingToSink(sink EventSink) {
	e.StartEventWatcher(func(event Event) {
		for tries := 0; tries < maxTriesPerEvent; tries++ {
			if sink.Create(event) == nil {
				return
			}
			time.Sleep(e.sleepDuration)
		}
	})
}

// StartEventWatcher starts sending events received from this EventBroadcaster to the given event handler function.
func (e *EventBroadcaster) StartEventWatcher(eventHandler func(Event)) {
	watcher := e.Watch()
	go func() {
		for event := range watcher.ResultChan() {
			eventHandler(event)
		}
	}()
}

// NewRecorder returns an EventRecorder that records events with the given event source.
func (e *EventBroadcaster) NewRecorder(source string) *EventRecorder {
	return &EventRecorder{source, e.Broadcaster}
}

// EventRecorder knows how to record events on behalf of an EventSource. All
// calls must have returned before the broadcaster is shut down.
type EventRecorder struct {
	source string
	*Broadcaster
}

func (recorder *EventRecorder) generateEvent(object, eventtype, reason, message string) {
	if eventtype != "Normal" && eventtype != "Warning" {
		log.Printf("Unsupported event type: '%v'", eventtype)
		return
	}

	event := recorder.makeEvent(object, eventtype, reason, message)

	// NOTE: events should be a non-blocking operation, but we also need to not
	// put this in a goroutine, otherwise we'll race to write to a closed channel
	// when we go to shut down this broadcaster.  Just drop events if we get overloaded,
	// and log an error if that happens (we've configured the broadcaster to drop
	// outgoing events anyway).
	if sent := recorder.ActionOrDrop(event); !sent {
		log.Printf("unable to record event: too many queued events, dropped event %#v", event)
	}
}

// Eventf records an event of the object.
func (recorder *EventRecorder) Eventf(object, eventtype, reason, messageFmt string, args ...interface{}) {
	recorder.generateEvent(object, eventtype, reason, fmt.Sprintf(messageFmt, args...))
}

func (recorder *EventRecorder) makeEvent(object, eventtype, reason, message string) Event {
	t := time.Now()
	return Event{
		Name:      fmt.Sprintf("%v.%x", object, t.UnixNano()),
		Object:    object,
		Type:      eventtype,
		Reason:    reason,
		Message:   message,
		Source:    recorder.source,
		Timestamp: t,
	}
}
