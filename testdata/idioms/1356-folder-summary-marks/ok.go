package model

import (
	"context"
	"sync"
	"time"
)

// Event is published by the model after the change it tells of.
type Event struct {
	Folder   string
	From, To string
	Progress []string
}

// Summary computes the summary from the present state of the model.
type Summary func(folder string) (any, error)

// The folderSummaryService adds summary events into the event stream at
// certain intervals.
type folderSummaryService struct {
	summary   Summary
	log       func(folder string, summary any)
	immediate chan string

	// For keeping track of folders to recalculate for
	foldersMut sync.Mutex
	folders    map[string]struct{}
}

func newFolderSummaryService(summary Summary, log func(string, any)) *folderSummaryService {
	return &folderSummaryService{
		summary:   summary,
		log:       log,
		immediate: make(chan string),
		folders:   make(map[string]struct{}),
	}
}

// Serve runs until the context is done.
func (c *folderSummaryService) Serve(ctx context.Context, sub <-chan Event) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		c.listenForUpdates(ctx, sub)
	}()
	go func() {
		defer wg.Done()
		c.calculateSummaries(ctx)
	}()
	wg.Wait()
}

// listenForUpdates subscribes to the event bus and makes note of folders that
// need their data recalculated.
func (c *folderSummaryService) listenForUpdates(ctx context.Context, sub <-chan Event) {
	for {
		// This loop needs to be fast so we don't miss too many events.
		select {
		case ev, ok := <-sub:
			if !ok {
				return
			}
			c.processUpdate(ev)
		case <-ctx.Done():
			return
		}
	}
}

func (c *folderSummaryService) processUpdate(ev Event) {
	switch {
	case ev.Progress != nil:
		c.foldersMut.Lock()
		for _, folder := range ev.Progress {
			c.folders[folder] = struct{}{}
		}
		c.foldersMut.Unlock()
		return

	case ev.To != "":
		if ev.To != "idle" || ev.From != "syncing" {
			return
		}

		// The folder changed to idle from syncing. We should do an
		// immediate refresh to update the GUI. The send to
		// c.immediate must be nonblocking so that we can continue
		// handling events.
		select {
		case c.immediate <- ev.Folder:
			c.foldersMut.Lock()
			delete(c.folders, ev.Folder)
			c.foldersMut.Unlock()
			return
		default:
			// Refresh whenever we do the next summary.
		}
	}

	// This folder needs to be refreshed whenever we do the next refresh.
	c.foldersMut.Lock()
	c.folders[ev.Folder] = struct{}{}
	c.foldersMut.Unlock()
}

// calculateSummaries periodically recalculates folder summaries and sends the
// results on the event bus.
func (c *folderSummaryService) calculateSummaries(ctx context.Context) {
	const pumpInterval = 2 * time.Second
	pump := time.NewTimer(pumpInterval)
	defer pump.Stop()

	for {
		select {
		case <-pump.C:
			t0 := time.Now()
			for _, folder := range c.foldersToHandle() {
				if ctx.Err() != nil {
					return
				}
				c.sendSummary(folder)
			}
			pump.Reset(2*time.Since(t0) + pumpInterval)

		case folder := <-c.immediate:
			c.sendSummary(folder)

		case <-ctx.Done():
			return
		}
	}
}

// foldersToHandle returns the list of folders needing a summary update, and
// clears the list.
func (c *folderSummaryService) foldersToHandle() []string {
	c.foldersMut.Lock()
	res := make([]string, 0, len(c.folders))
	for folder := range c.folders {
		res = append(res, folder)
		delete(c.folders, folder)
	}
	c.foldersMut.Unlock()
	return res
}

func (c *folderSummaryService) sendSummary(folder string) {
	data, err := c.summary(folder)
	if err != nil {
		return
	}
	c.log(folder, data)
}
