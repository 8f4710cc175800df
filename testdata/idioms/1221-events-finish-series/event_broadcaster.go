package events

import (
	"context"
	"errors"
	"log"
	"reflect"
	"sync"
	"time"
)

const (
	maxTriesPerEvent = 12
	finishTime       = 6 * time.Minute
	refreshTime      = 30 * time.Minute
	maxQueuedEvents  = 1000
	recordWorkers    = 8
)

var errKeyNotFound = errors.New("event not found")

// EventSeries contains information about a series of events.
type EventSeries struct {
	Count            int32
	LastObservedTime time.Time
}

// Event is a report of something that happened in the cluster.
type Event struct {
	Reason    string
	Regarding string
	EventTime time.Time
	Series    *EventSeries
	Version   string
}

// DeepCopy returns a copy that shares nothing with the event.
func (e *Event) DeepCopy() *Event {
	c := *e
	if e.Series != nil {
		s := *e.Series
		c.Series = &s
	}
	return &c
}

// EventSink knows how to store events.
type EventSink interface {
	Create(ctx context.Context, event *Event) (*Event, error)
	Patch(ctx context.Context, oldEvent *Event, data *EventSeries) (*Event, error)
}

type eventKey struct {
	reason    string
	regarding string
}

func getKey(event *Event) eventKey {
	return eventKey{reason: event.Reason, regarding: event.Regarding}
}

type eventBroadcasterImpl struct {
	mu            sync.Mutex
	eventCache    map[eventKey]*Event
	sleepDuration time.Duration
	sink          EventSink
	eventQueue    chan *Event
	cancel        func()
}

func newBroadcaster(sink EventSink, sleepDuration time.Duration) *eventBroadcasterImpl {
	return &eventBroadcasterImpl{
		eventCache:    map[eventKey]*Event{},
		sleepDuration: sleepDuration,
		sink:          sink,
		eventQueue:    make(chan *Event, maxQueuedEvents),
	}
}

func (e *eventBroadcasterImpl) Shutdown() {
	e.mu.Lock()
	if e.cancel != nil {
		e.cancel()
		e.cancel = nil
	}
	e.mu.Unlock()
}

// refreshExistingEventSeries refresh events TTL
func (e *eventBroadcasterImpl) refreshExistingEventSeries(ctx context.Context) {
	type eventSnapshot struct {
		key   eventKey
		event *Event
	}

	var snapshots []eventSnapshot
	e.mu.Lock()
	for isomorphicKey, event := range e.eventCache {
		if event.Series != nil {
			snapshots = append(snapshots, eventSnapshot{key: isomorphicKey, event: event.DeepCopy()})
		}
	}
	e.mu.Unlock()

	for _, snapshot := range snapshots {
		recordedEvent, retry := recordEvent(ctx, e.sink, snapshot.event.DeepCopy())
		if retry || recordedEvent == nil {
			continue
		}

		e.mu.Lock()
		cachedEvent, exists := e.eventCache[snapshot.key]
		// The sink call ran without the lock. Do not overwrite counts or
		// timestamps which were aggregated while it was in flight.
		if exists && reflect.DeepEqual(cachedEvent, snapshot.event) {
			e.eventCache[snapshot.key] = recordedEvent
		}
		e.mu.Unlock()
	}
}

// finishSeries checks if a series has ended and either:
// - write final count to the apiserver
// - delete a singleton event (i.e. series field is nil) from the cache
func (e *eventBroadcasterImpl) finishSeries(ctx context.Context) {
	type eventSnapshot struct {
		key          eventKey
		event        *Event
		shouldRecord bool
	}

	now := time.Now()
	var snapshots []eventSnapshot
	e.mu.Lock()
	for isomorphicKey, event := range e.eventCache {
		eventSerie := event.Series
		if eventSerie != nil {
			if eventSerie.LastObservedTime.Before(now.Add(-finishTime)) {
				snapshots = append(snapshots, eventSnapshot{key: isomorphicKey, event: event.DeepCopy(), shouldRecord: true})
			}
		} else if event.EventTime.Before(now.Add(-finishTime)) {
			snapshots = append(snapshots, eventSnapshot{key: isomorphicKey, event: event.DeepCopy()})
		}
	}
	e.mu.Unlock()

	for _, snapshot := range snapshots {
		if snapshot.shouldRecord {
			if _, retry := recordEvent(ctx, e.sink, snapshot.event.DeepCopy()); retry {
				continue
			}
		}

		e.mu.Lock()
		cachedEvent, exists := e.eventCache[snapshot.key]
		// An event observed while the sink call was in flight means the series
		// is active again and must remain in the cache.
		if exists && reflect.DeepEqual(cachedEvent, snapshot.event) {
			delete(e.eventCache, snapshot.key)
		}
		e.mu.Unlock()
	}
}

func (e *eventBroadcasterImpl) recordToSink(event *Event) {
	// Make a copy before modification, because there could be multiple listeners.
	eventCopy := event.DeepCopy()
	record := func() *Event {
		e.mu.Lock()
		defer e.mu.Unlock()
		eventKey := getKey(eventCopy)
		isomorphicEvent, isIsomorphic := e.eventCache[eventKey]
		if isIsomorphic {
			if isomorphicEvent.Series != nil {
				isomorphicEvent.Series.Count++
				isomorphicEvent.Series.LastObservedTime = time.Now()
				return nil
			}
			isomorphicEvent.Series = &EventSeries{
				Count:            2,
				LastObservedTime: time.Now(),
			}
			// Make a copy of the Event to make sure that recording it
			// doesn't mess with the object stored in cache.
			return isomorphicEvent.DeepCopy()
		}
		e.eventCache[eventKey] = eventCopy
		// Make a copy of the Event to make sure that recording it doesn't
		// mess with the object stored in cache.
		return eventCopy.DeepCopy()
	}()
	if record != nil {
		select {
		case e.eventQueue <- record:
		default:
			log.Printf("Unable to record event: too many queued events, dropped event %v", record)
		}
	}
}

// recordingWorker delivers queued events to the sink until the context is
// canceled.
func (e *eventBroadcasterImpl) recordingWorker(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case record := <-e.eventQueue:
			e.attemptRecording(ctx, record)
		}
	}
}

func (e *eventBroadcasterImpl) attemptRecording(ctx context.Context, event *Event) {
	for tries := 0; tries < maxTriesPerEvent; tries++ {
		if _, retry := recordEvent(ctx, e.sink, event); !retry {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(e.sleepDuration):
		}
	}
	log.Printf("Unable to write event (retry limit exceeded!) %v", event)
}

func recordEvent(ctx context.Context, sink EventSink, event *Event) (*Event, bool) {
	var newEvent *Event
	var err error
	isEventSeries := event.Series != nil
	if isEventSeries {
		newEvent, err = sink.Patch(ctx, event, event.Series)
	}
	// Update can fail because the event may have been removed and it no longer exists.
	if !isEventSeries || errors.Is(err, errKeyNotFound) {
		// Making sure that ResourceVersion is empty on creation
		event.Version = ""
		newEvent, err = sink.Create(ctx, event)
	}
	if err == nil {
		return newEvent, false
	}
	return nil, true
}

// StartRecordingToSink starts sending events to the given sink.
func (e *eventBroadcasterImpl) StartRecordingToSink(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.cancel != nil {
		return errors.New("broadcaster is already recording to a sink")
	}
	cctx, cancel := context.WithCancel(ctx)
	for range recordWorkers {
		go e.recordingWorker(cctx)
	}
	go every(cctx, refreshTime, e.refreshExistingEventSeries)
	go every(cctx, finishTime, e.finishSeries)
	e.cancel = cancel
	return nil
}

func every(ctx context.Context, d time.Duration, f func(context.Context)) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			f(ctx)
		case <-ctx.Done():
			return
		}
	}
}
