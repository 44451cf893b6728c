package cli

import (
	"context"
	"fmt"
	"io"

	"homeward/internal/app"
	"homeward/internal/identity"
	"homeward/internal/lost"
	"homeward/internal/services"
)

type matchCommand struct {
	Report matchReport `cmd:"" help:"${match_report_help}"`
}

type matchReport struct {
	output
	accountFlag
}

// Run prints how often suggested matches were right.
func (c *matchReport) Run(ctx context.Context, cfg *app.Config, out io.Writer) error {
	return c.withAccount(ctx, cfg, func(op *services.Operator, account string) error {
		outcomes, err := op.Outcomes.Report(ctx, identity.Operator(account))
		if err != nil {
			return err
		}
		if len(outcomes) == 0 && !c.JSON {
			_, err := fmt.Fprintln(out, "The desk has not yet accepted or rejected a suggested match.")
			return err
		}
		return c.printList(out, matchRows(outcomes))
	})
}

// matchRows returns a row for each likelihood with all of its scores, followed by a row for each tenth of the scores.
func matchRows(outcomes []lost.MatchOutcome) (rows []row) {
	for _, likelihood := range lost.Likelihoods() {
		all := lost.MatchOutcome{}
		var parts []row
		for _, o := range outcomes {
			if o.Likelihood != likelihood {
				continue
			}
			all.Decided, all.Accepted = all.Decided+o.Decided, all.Accepted+o.Accepted
			const tenths = 10
			from := float64(min(o.Tenth, tenths-1)) / tenths
			parts = append(parts, matchRow(likelihood, fmt.Sprintf("%.1f-%.1f", from, from+1.0/tenths), o))
		}
		if all.Decided > 0 {
			rows = append(rows, matchRow(likelihood, "all", all))
			rows = append(rows, parts...)
		}
	}
	return rows
}

func matchRow(likelihood lost.Likelihood, scores string, o lost.MatchOutcome) row {
	const percent = 100
	return row{
		{"likelihood", string(likelihood)}, {"score", scores}, {"decided", o.Decided}, {"accepted", o.Accepted},
		{"right", fmt.Sprintf("%d%%", (percent*o.Accepted+o.Decided/2)/o.Decided)},
	}
}
