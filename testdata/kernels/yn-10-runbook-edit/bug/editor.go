// Package bug lets several people edit the runbooks of a service.
package bug

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const maxTries = 5

// Patch changes a page, or says that it does not fit.
type Patch func(p *Page) error

// Editor applies patches to pages.
type Editor struct {
	pages *Pages
	audit chan<- string
}

func NewEditor(pages *Pages, audit chan<- string) *Editor {
	return &Editor{pages: pages, audit: audit}
}

// Apply changes a page with a patch. Patches of others are not lost: if the
// page has been changed meanwhile, the patch is applied again to the new one.
func (e *Editor) Apply(ctx context.Context, id, who string, patch Patch) error {
	for try := range maxTries {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := e.attempt(id, who, patch)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		time.Sleep(time.Duration(try) * 5 * time.Millisecond)
	}
	return fmt.Errorf("apply to %s: %w", id, ErrConflict)
}

func (e *Editor) attempt(id, who string, patch Patch) error {
	page, err := e.pages.Get(id)
	if err != nil {
		return err
	}
	if err := patch(&page); err != nil {
		return fmt.Errorf("patch %s: %w", id, err)
	}
	page.Author = who
	if err := e.save(page); err != nil {
		return err
	}
	select {
	case e.audit <- who + " edited " + id:
	default:
	}
	return nil
}

// save writes a page back as the revision after the one it has now.
func (e *Editor) save(page Page) error {
	return e.pages.PutIf(page, e.pages.Head(page.ID))
}

// AddStep is a patch that adds a step at the end.
func AddStep(step string) Patch {
	return func(p *Page) error {
		for _, s := range p.Steps {
			if s == step {
				return errors.New("step is there already")
			}
		}
		p.Steps = append(p.Steps, step)
		return nil
	}
}
