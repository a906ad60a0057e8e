"""Words of answering, by class: what chooses, wins, concedes, corrects, supposes or denies.

A row is a class and its phrases, separated by commas. In a phrase "a/b" is either word and "[a]" a word that may be
left out. The longest phrase that fits is taken, so that "no doubt" is not "no". Words of quality are in
`qbench.parsing.qualities`. A foreign word stands beside the English one that it acts as.
"""

from __future__ import annotations

from collections.abc import Mapping

ANSWERING: Mapping[str, str] = {
    # who and what
    "I": "i, we, me, us",
    "IT": "it, this, c'est",
    "THERE": "there",
    "WHICH": "which, that, who, what",
    "THE": "such, the, a, an, any, my, our, its, their, your, la, le, die, der, das, el",
    "THING": """image, picture, photo, photograph, pic, shot, one, version, option, caption, frame, sample, candidate,
        images, pictures, photos, photographs, captions, options, choices, answers, every option/choice/answer,
        imagen, imagem, bild, immagine, изображение, bilder, foto""",
    "PLACE": """side, half, part, portion, area, corner, edge, region, direction, hand, feeling, mood, atmosphere,
        appearance, scene, effect, style, technique, look""",
    "ANSWER": """answer, ans, choice, selection, response, decision, preference, winner, victor, favorite,
        favourite, judgment, judgement, guess, result, odd image/picture/photo/one [out], outlier, solution,
        letter, recommendation, prediction, output, label, answer letter/key, right answer/option/choice,
        verdict, conclusion, best/better description/descriptor/characterization/word/term/match/fit, final
        answer/verdict, edge, nod, award, prize, point, réponse, antwort, respuesta, risposta, resposta, ответ,
        win, victory, advantage, advantages, upper hand, top choice/pick/option""",
    "RIGHT": """correct, right, accurate, appropriate, suitable, fitting, valid, the case, apt, proper, applicable,
        true, spot on, most/more accurate/appropriate/suitable/fitting/plausible/probable/likely, present, intended,
        odd, winning, different, bonne, richtige, correcta, corretta, правильный""",
    # links
    "IS": """is, are, was, were, be, being, been, am, look, looks, looked, looking, seem, seems, seemed, appear,
        appears, appeared, remain, feels, look/looks/seem/seems/appear/appears/happens/turns [out] to be, must be,
        comes across as, comes out as, stands out as, serves/stands/counts as, proves [to be], becomes, is/are
        [considered/deemed/judged/rated/regarded] as, is/are/can/could/would [be] considered/deemed/judged/rated [to
        be], est, ist, es, è, é""",
    "HAS": """has, have, had, having, offer, offers, offering, show, shows, showing, exhibit, exhibits, exhibiting,
        display, displays, displaying, provide, provides, providing, boasts, possess, possesses, feature, features,
        featuring, presents, deliver, delivers, contain, contains, gives, comes with, is/are/be/appears/seems/being
        of, retain, retains, retaining, preserve, preserves, preserving, demonstrate, demonstrates, maintain,
        maintains, captures, capturing, enjoys, is/are characterized/characterised by, reveal, reveals, achieves,
        benefits from, yields, produces, carries, holds, gets, keeps, is marked by, has got, showcases, renders,
        look/looks/seem/seems/appear/appears to have, hat, tiene, tem, est de""",
    "WITH": "with",
    "WOULD": "would, will, must, shall, has/have to",
    "DO": "do, does, did",
    "CAN": "can",
    "TO": "to",
    "OF": "of",
    "AS": "as",
    "PREP": """in, at, on, for, from, by, among, between, across, around, throughout, within, under, during, through,
        into, near, behind, along, inside, about, in terms of, with/in respect/regard/regards to, regarding,
        concerning, when it comes to, as for, judging by/from, based on, toward, towards, per, out""",
    "LIMITED": "as a/an, only in/for/when/with/at/on, just in/for, in the area/areas of, because only",
    "AND": "and, plus, as well as, along/together with, et, und, y",
    "OR": "or, either, nor, ou, oder",
    # asides that change nothing
    "DEGREE": """much, far, a bit, a little [bit], a lot, a tad, a touch, a fraction, way, somewhat, still, also, even,
        just, simply, indeed, rather, quite, very, ever so, likely, perhaps, maybe, without [a] doubt, no doubt,
        no/without question, beyond doubt, hands down, not only, only, again, of course, in fact, for sure/certain,
        kind/sort of, in [nearly/almost/practically] every way/respect/aspect, in each/every
        category/area/respect/aspect/way, in this/that respect/regard, in
        all/most ways/respects/aspects, all around, always, likewise, then, now, by far, by a
        wide/small/narrow/large/slight/clear/huge/slim margin, by a
        hair/nose/whisker, by the slimmest/narrowest/smallest of margins, by a mile, any day, every time, by a long
        way/shot, by some margin, across the board, on all counts/fronts, to some extent, in/by comparison, here, as
        well, after all, too, at least, generally speaking, over all, once again, once more, for its part, to date,
        inclined, going, enough, actual, sheer, slight, minor, narrow, slightest, tiniest, smallest, narrowest, tiny""",
    "CONCLUDE": """therefore, thus, hence, so, accordingly, consequently, overall, finally, ultimately, final, in [the]
        conclusion, to conclude, in summary, summary, to summarize/summarise, in short, all in all, in the end, all
        things considered, all told, taken together, taking/considering/weighing everything/all/this [this] [into
        account] [together], on balance, on the whole, at the end of the day, by [process of] elimination, in sum,
        to sum up, as a result, for this/that/these/those reason/reasons, because of this/that, based on
        this/that/these, given this/these, bottom line, which/this/that means [that], donc, daher, everything
        considered, that/this is why, which is why, with all this in mind, so overall, as a whole, on the whole,
        in total""",
    "YES": "yes, yeah, yep, yup, that/you is/are right/correct",
    "OPENER": """from a [purely] technical/visual/photographic/quality standpoint/perspective/viewpoint/point of view,
        okay, ok, sure, well, hello, hi, alright, thanks, thank you, please, good/great question, hmm, in my/our
        opinion/view/judgment/judgement/eyes, from my perspective, from my point of view, from/by what i [can] see,
        as far as i can tell/see/judge, to my eye/eyes/mind, to/for me, personally, imo, imho, if i
        had/have/must/were/am [to] choose/pick/decide/say/guess/select [one/between] [them], if i had/have/were/am
        [forced] to choose/pick/decide/say/guess/select [one/between] [them], if forced/asked/pressed [to]
        [choose/pick/decide], forced to choose/pick, if anything, if i had/must [to], if only
        slightly/just/marginally, if only by a little/hair, in this case/comparison/pair/instance, in terms of
        [overall/general] [visual/image/picture] quality, quality wise, when it comes to [overall] [visual/image]
        quality, as for [the] [visual/image] quality, regarding [visual/image] quality, with regard to
        [visual/image] quality, for overall quality, upon/on/after careful/direct
        comparison/consideration/inspection/look/examination, if you ask me, absolutely, i must say, honestly,
        frankly, to be honest/precise, at full size/resolution, when/after/on/upon [zoomed] zooming/zoomed in, the
        following, as follows, judging by quality, side by side, as i see it, as it/they stands/stand/is/are, as
        things are/stand, the way it is/stands/looks, in reality/truth/essence, answer/answering [to] the/your
        question, to the/this/your question, no problem, gun to my/the head, tough one/call, close call, no contest,
        easy choice/call/one, please note, for what it is worth, though/if/albeit/but only just, albeit
        narrowly/slightly, though narrowly, unless i am mistaken, if i am not mistaken, unless my eyes deceive me, my
        [overall/general/honest/first] impression/feeling/sense/take/view/opinion is [that]""",
    "LOOKING": """comparing, considering, weighing, examining, looking at, viewing, after
        comparing/examining/viewing/considering/weighing, after looking at""",
    "SAY": """think, believe, feel, suppose, say, conclude, argue, reckon, denke, pense, creo, feel like, am
        [quite/very/fairly/pretty] confident/sure/certain/convinced [that], better/rather say,
        have [high/strong/full/low/medium/great]
        confidence that, call it, describe/rate/classify/consider/judge/label/characterize/assess/deem it/this as,
        describe/rate/consider/judge/place it/this, should/can/could/may be described/classified/rated/judged as,
        think/believe/guess/say/suspect it/this/there may/might/could [well] be""",
    "SEE": """see, detect, spot, discern, perceive, make out, find, note, notice, observe, suggest, suggests, indicate,
        indicates, suggesting, indicating, implying, shows that""",
    "COMES": """comes, originates, originated, emanates, falls, shines, affected by,
        plagued/hurt/spoiled/spoilt/compromised/harmed by, let down by, suffers from, suffering from, caused by,
        dominated by, located at/on/in, results from, hides, masks, ruined by, marred by, degraded by, impaired by,
        evokes, creates, uses, used, employs, employed, follows, followed""",
    "EVIDENT": """clear/evident/obvious/apparent/certain/plain [to me] that, evident, obvious, apparent, prominent,
        pronounced, noticeable, safe/fair to say/conclude/assume [that], no/zero doubt/question that, no
        denying/doubting/question [that], it can not be denied that, like that, clear to me, clear to everyone""",
    # choosing
    "CHOOSE": """left with, keep, prefer, choose, chose, choosing, picked, picking, select, selected, selecting,
        go/going/went with, go/going for, opt/opting for, vote/voting for, favor, favour, lean/leaning
        [more/slightly] to/toward/towards, inclined/tempted to choose/pick/prefer/select/favor/favour, inclined
        to/toward/towards, side with, settle on/for, decide on/for, stick/sticking/stay/staying with, bet on, recommend,
        give/award/hand it to, give the edge/nod/win/award/prize/preference to, give a slight edge/preference/nod
        to, give my vote to, take, root for, tend to prefer/choose/pick, tend to/toward/towards, end up with, go by,
        come down on the side of, have a [slight] preference for, cast my vote for""",
    "PICK": "pick, vote",
    "LIKE": "like, love",
    "MAIN": """what lets/drags the/this/it [image/picture/photo/shot] down [the] [most], what
        spoils/ruins/hurts/degrades/bothers/disturbs it/me/one/the [image/picture/photo/viewer/quality] [the]
        [most], what [really/most/clearly] stands out [most/here], what i notice [first/most], what catches the eye,
        [most]
        main/dominant/primary/biggest/key/chief/predominant/principal/major/prevailing/serious/noticeable/prominent/obvious/severe/evident/visible/apparent/significant/striking/pronounced
        problem/issue/distortion/degradation/defect/flaw/artifact/impairment/color/colour/tone/hue [here/present],
        real/true/actual problem/issue [here]""",
    "CALL": """call, rate, consider, judge, deem, regard, declare, rank, name, crown, score, place, describe, classify,
        label, assess""",
    "GOES_TO": """goes to, belongs to, falls on, is given to, go to, points to, lies/goes with, leans to/toward/towards,
        lean/tend/veer a little/bit to/toward/towards, favors, favours, goes clearly to""",
    "WINS": """is [the] stronger [one], wins, win, won, wins out, comes out [slightly/just/narrowly/marginally/clearly]
        on top, comes out [slightly/just/clearly] ahead, comes on top, dominate, takes the
        lead/crown/cake/win/prize/round, takes it/this [one], takes first place, prevails, has/gets the
        [slight/clear] edge/advantage/lead/win/nod/preference, edges it, has the upper hand, has an/a [slight/clear]
        edge/advantage, gets/has my vote/preference/pick, comes first, leads, is on top, is ahead, triumphs,
        dominates, ranks/scores/rates higher, ranks first, does/fares/performs/scores better, comes out/off better,
        turns out better, holds up better, edges/pulls ahead, deserves the win, is the way to go, has it, stands
        out, would/will be preferred/favored/favoured/chosen""",
    "BEATS": """beats, beat, outperforms, outperform, outclasses, outshines, outdoes, surpasses, exceeds, trumps,
        defeats, tops, edges/edge out, nudges out, wins over/against, prevails/triumphs over, is ahead of, has
        an/the/a [slight/clear] edge/advantage/lead over, takes the lead over, has the upper hand over, bests,
        eclipses, dominates, overshadows, outranks, outmatches, leads over, ranks/scores/rates/is ranked/rated
        higher than, ranks/scores/stands above, is [a] step/cut/ranked above, is an improvement over/on, improves
        on/upon, is leagues/miles/streets ahead of, is/stands head and shoulders above""",
    "LOSES": """below, is a [clear] step down/back from, is a downgrade from, loses [out] to, loses against, lost to,
        is/gets/was
        outperformed/beaten/surpassed/outclassed/outshone/bested/exceeded/trumped/defeated/topped/overshadowed/dominated/eclipsed
        by, is/gets edged out by, falls short of, falls behind, lags/trails/comes [in] behind, trails, pales in
        comparison to/with, pales next/beside/against/compared [to/with], does not match, does/can not
        match/reach/equal/rival, fails to match/reach/equal, can not compete with, does/can not compare to/with, can
        not keep up with, is no match for, takes a back seat to, yields/concedes to, inferior to, comes second to,
        is second to, ranks/scores lower than, ranks below, is ranked below, does not measure/hold/stack up
        to/against, does/can not hold up beside/against, does/can not hold up next to, does/can not hold a candle to,
        does not come close to, never reaches/matches/attains the level/quality/standard of""",
    "MAKES": "makes, make, making, puts, put, leaves, leaving, leaves/leaving us with/only",
    "REMAINS": """remains, is/are left over/standing, are left, is [all] that remains, is what remains/is [left], is the
        only one left""",
    "FITS": """fits, fit, matches, match, applies, suits, works, corresponds, describes, describe, reflects, reflect,
        captures/describes/fits/matches it/this, represents, sums it up, characterizes, characterises, capture,
        resembles, resemble, aligns, align, depicts, mirrors, conveys, makes/make [the] [most] sense""",
    # comparing
    "THAN": """than, [when/as] compared to/with, in/by comparison to/with, in contrast to/with, relative to, versus, vs,
        unlike, beyond, as opposed to, next to, against, contrary to""",
    "OVER": "over, rather than, instead of, in preference to, ahead of, above",
    # turns of the argument
    "BECAUSE": """because, since, because of, due/owing/thanks to, on account of, as
        it/the/its/there/they/this/i/both/shown/seen/evidenced/indicated/mentioned, given its/the/that/how,
        considering its/that, for its/having/being/better/several/the [following] reasons, for
        its/having/being/better, seeing that/as, in that, reasoning, explanation, [the/my] reason/reasons
        [is/are/being], rationale, justification, mainly/mostly/primarily/largely because/due [to], based on
        the/its, where, when, by virtue of, by having, with its, characterized/characterised by, as can be seen""",
    "CONTRAST": """but, however, yet, nevertheless, nonetheless, even so, on the other hand, having said all that/this,
        all that said, [having] that/this [being] said, with that said, be that as it may, in/by contrast,
        conversely, all the same, at the same time, on the flip side, in any case/event, either way, anyway,
        regardless, mais, aber, pero""",
    "WHILE": "while, whereas, whilst",
    "CONCEDE": """although, though, even though/if, despite, in spite of, notwithstanding, granted, admittedly,
        regardless of, for all [of] its, [while] it is true [that], true enough, albeit, to be fair, to its credit,
        fair enough, i [will/must/would/can/do/have/to] [to] admit/grant/concede/acknowledge [that], however much,
        no matter how, much as, as much as""",
    "RETRACT": """wait, no wait, hold/hang on, scratch/strike that, oops, whoops, my mistake/bad, sorry, apologies, my
        apologies, i apologize/apologise, correction, corrected, i stand corrected, let me
        correct/revise/reconsider/rethink/recheck/restate/rephrase [that/myself/this/my] [answer], let me
        look/check/think/re-check [at] [it] again, let me double check, i misread/misspoke/misjudged [the/your
        question/options/image/images], i mixed [the order/them/it/these/the images] up, i was wrong/mistaken, i
        made a/an mistake/error, [i] [have] changed my mind, changing my mind, i change my mind/answer, i
        need/must/have/should [to] correct/revise, change/changing/changed/revise/revising/switch/switching my
        answer/mind/choice/rating/verdict/assessment/pick, i change my mind/answer,
        downgrade/downgrading/upgrade/upgrading/lower/lowering/raise/raising it/this/that, change/changing
        it/this/that, [on/upon] second thought/thoughts, on/upon/after further/closer/close/reviewing
        thought/inspection/reflection/reconsideration/look/examination, on a closer/second look, on/upon/after
        reconsideration/reexamination/reconsidering/re-examination/reflection, i mean/meant [to] [say], what i meant
        [was/is], or rather, no rather, make that, i take that/it back, actually, revised/corrected/updated/new
        answer, revised, edit, update, erratum, amendment, looking/thinking [at/about] [it/them] again, looking
        [more] closely/closer, never mind, that/this/it was/is wrong/incorrect/false/untrue, that/this/it was/is not
        right/correct/true, not quite, not so fast, i retract/withdraw,
        i [must/have/should] [to] correct/corrected myself, pardon me, disregard/ignore/forget that,
        disregard/ignore/forget my/the/what, contrary to what i [just] said/wrote/stated,
        that was hasty/rash/premature,
        reverse/reversed/reversing/overturned/withdraw/withdrew/flipped my
        answer/verdict/decision/choice/judgment/judgement/opinion/ranking/order, just
        kidding/joking, kidding, said no one, i disagree, i do not think so, swap/reverse that, my
        previous/earlier/first/initial answer was wrong/incorrect, nope, thinking about it again/more, now that i
        look""",
    # what is not asserted
    "NOT": """not, no, zero, never, none, without, hardly, barely, scarcely, cannot, by no means, in no way,
        nowhere near, far
        from, anything but, a far cry from, a long way from, nothing, nobody, no one, rarely, seldom, non,
        free/cleaned/rid of, free from, absence of, devoid of, not at all, lack, lacks, lacking, lacked, nicht, ne,
        pas, kein, keine, no longer, not exactly, not really, except, excluding""",
    "WRONG": """wrong, incorrect, false, inaccurate, inappropriate, unsuitable, untrue, invalid, implausible,
        eliminated, excluded, ruled out, dismissed, discarded, rejected, crossed out, crossed off [the list],
        irrelevant, impossible,
        contradicts, contradict, contradicted, absent, missing, off the table, inapplicable, unsupported,
        distractor, distractors, a stretch, overstated, misleading, improbable, refuted, out of the
        question, questionable, disqualified, not it, unlikely, negligible, insignificant, not an issue, no issue""",
    "TOO": """too
        strict/harsh/generous/extreme/strong/weak/mild/severe/broad/narrow/vague/optimistic/pessimistic/kind/positive/negative/high/low,
        too much of a stretch""",
    "ELIMINATE": """eliminate, eliminates, eliminating, rule/rules/ruling out, exclude, excludes, discard, discarding,
        dismiss, dismissing, reject, rejecting, cross/crossing out/off, strike out, ignore, omit, except for,
        apart/aside from, other than, besides, all/everything but/except/besides, drop, avoid,
        disregard, skip, set aside, delete,
        throw away""",
    "IF": """if, unless, whether, supposing, as long as, in case, had/were it/the/i/we/you/they/there/this/that,
        imagine, hypothetically, until, once, depending on, depends [on], were to, could/should/might have [been],
        would have been, should you/one/i/we/they/it/the/this/that/your""",
    "GIVEN": "provided [that], assuming [that], granted that, given that",
    "DOUBT": """doubt, doubtful, not sure/certain/convinced, unsure, uncertain, unclear whether/which, hard to,
        difficult to, impossible to, tough to, tricky to, wrong/mistake/incorrect/unfair/foolish/absurd to,
        false/wrong that, not true that, do not think/believe/feel/find [that], would not
        say/call/consider/describe/deem, can/could not say/agree/claim, the claim/idea/notion/statement/suggestion
        [that], claim, claims, claimed, claiming, the user/question/prompt/task, you/they/he said, said, says,
        saying, asks, asked, asking, supposedly, allegedly, reportedly, so called, supposed, falsely, wrongly,
        incorrectly, nobody/no one/few/who would/could, it is not that/true/the case, by no stretch, the opposite, a
        lie, exaggeration, refuse/decline to, incapable, unable, pretend, deny, denies, denied, denying, dispute,
        disputes, disputed, contest, contests,
        contested, refute, refutes""",
    "OTHERS": """some/many/most/other/few people/viewers/observers/users/experts, some/many/most/others/few
        would/might/may/could/will/say/argue/prefer/think/choose/find,
        someone/somebody/people/viewers/observers/anyone/a viewer
        would/might/may/could/will/say/argue/prefer/think/choose, one might/could/may/would, you
        might/may/could/would, you suggested/claimed/said/suggest/claim/say, tempting, tempted,
        may/might/could seem/appear/look, at first
        [glance/sight/look], first glance/sight, [on/upon] first glance, initially, originally, [my] first
        impression, i [first/had/had] thought, i [first/had/initially/originally] wrote,
        used to, was/were going to, was/were [first/initially/almost]
        leaning/inclined/tempted/drawn to/toward/towards, about to, i nearly/almost, i was tempted/inclined,
        previously, earlier, i said, wanted to, supposed to, could/might/can be argued, could/might argue,
        expected to, you expect, you would think/expect/assume/imagine/guess/suppose/believe,
        lead/leads/led one/you/us/people/someone to, i expected, on the surface, superficially, on paper, normally,
        usually,
        typically, often, commonly, frequently, as if/though, in theory, in principle, naive,
        looked/looking/searched/searching/checked/checking for, look for""",
    "NEED": """need, needs, needed, needing, require, requires, required, requiring, miss, misses, could/can do with,
        can/could use, benefit, profit, profits, deserve, deserves, cry/cries/crying out, beg, begs, begging, should,
        ought, could,
        might, may, in need/want of, short of/on, fail, fails, failed, failing, struggle, struggles, struggling,
        suffer, suffers, suffering, prevent, improve, improving, improvement, improvements, wish, hope, expect,
        expected, desire, desired, desires, leave, room for, at the cost/expense of, demands, demand, try, tries,
        trying, attempt, attempts, attempting, seek, seeks, aim, aims, longs/longing/yearns/yearning for, wishing,
        wished, hoping, crave, craves, craving, stands to gain, instead,
        help, helped, helps, gain, enhance, it would take, it takes, want, wants, wanted, call/calls/calling for""",
    "CONFIDENCE": "confidence [level/score], certainty, probability, likelihood",
}
