#include "views/viewmodels/iha_beside.h"

#include "core/models/guarded.h"
#include "core/session/iha_from_mha.h"
#include "views/viewmodels/explore_session.h"
#include "views/viewmodels/words.h"

namespace headloom {

IhaBeside::IhaBeside(ExploreSession& session, InColumn inColumn, QObject* parent)
    : QObject(parent), session_(session), inColumn_(std::move(inColumn)) {
    connect(&session, &ExploreSession::stateChanged, this, &IhaBeside::goOn);
    connect(&session, &ExploreSession::answered, this, &IhaBeside::goOn);
    connect(&session, &ExploreSession::failed, this, &IhaBeside::giveUp);
}

void IhaBeside::make(int nPseudo) {
    wanted_ = nPseudo;
    goOn();
}

void IhaBeside::goOn() {
    if (wanted_ == 0 || session_.busy()) return;
    const Side side = inColumn_(Side::left) ? Side::left : Side::right;
    const std::shared_ptr<const Model> mha = inColumn_(side);
    if (!mha) return;
    job_.start(
        [this, mha, side, nPseudo = std::exchange(wanted_, 0)](const auto&) -> LatestJob::Deliver {
            const auto iha = guarded([&] { return ihaFromMha(*mha, nPseudo); });
            if (!iha) return [this, sentence = sentenceOf(iha.error())] { emit failed(sentence); };
            return [this, iha = *iha, other = side == Side::left ? Side::right : Side::left] {
                session_.openModel(other, QString::fromStdString(iha->name), iha);
                emit made();
            };
        });
}

}  // namespace headloom
